"""URLs: The customer's chat."""

from django.urls import path

from dialogue.web.chat import views

urlpatterns = [
    path("chat/<slug:assistant>/", views.chat, name="chat"),
    path("chat/<slug:assistant>/open/", views.open_chat, name="chat_open"),
    path("chat/files/<uuid:file_id>/", views.file, name="file"),
    path("chat/<slug:assistant>/images/<str:name>", views.image, name="chat_image"),
    path("chat/<slug:assistant>/language/", views.choose_language, name="chat_language"),
    path("chat/<slug:assistant>/leave/", views.leave, name="chat_leave"),
]
