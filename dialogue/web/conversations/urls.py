"""URLs: Conversations and their transcripts."""

from django.urls import path, re_path

from dialogue.web.conversations import unmasking, views

urlpatterns = [
    path("conversations/", views.conversations, name="conversations"),
    path("conversations/<uuid:conversation>/", views.conversation, name="conversation"),
    path("conversations/<uuid:conversation>/lines/", views.lines, name="older_lines"),
    path("conversations/<uuid:conversation>/unmask/", unmasking.unmask, name="unmask"),
    path("conversations/<uuid:conversation>/mask/", unmasking.mask, name="mask"),
    re_path(
        "^conversations/(?P<conversation>[0-9a-f-]{36})/incidents/(?P<number>[0-9]{1,9})/(?P<act>retry|abandon)/$",
        views.mend,
        name="mend_turn",
    ),
]
