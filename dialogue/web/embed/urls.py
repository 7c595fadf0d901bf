"""URLs: the chat in a frame on other sites, and the script that shows it there."""

from django.urls import path

from dialogue.web.embed import views

urlpatterns = [
    path("embed/widget.js", views.widget_script, name="widget_script"),
    path("embed/<slug:assistant>/", views.frame, name="embed"),
]
