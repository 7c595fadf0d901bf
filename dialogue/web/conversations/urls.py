"""URLs: Conversations and their transcripts."""

from django.urls import path, re_path

from dialogue.web.conversations import list_views, unmasking, views

urlpatterns = [
    path("conversations/", list_views.conversations, name="conversations"),
    path("conversations/export/", list_views.export, name="conversations_export"),
    path("conversations/views/", list_views.save_view, name="conversation_view_save"),
    path("conversations/views/<gate:number>/delete/", list_views.delete_view, name="conversation_view_delete"),
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
