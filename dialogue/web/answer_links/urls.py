"""URLs: The page behind an answer link."""

from django.urls import path

from dialogue.web.answer_links import views

urlpatterns = [
    path("answer/<str:token>/", views.answer, name="answer"),
    path("answer/<str:token>/files/<uuid:file_id>/", views.answer_file, name="answer_file"),
]
