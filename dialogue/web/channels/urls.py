"""URLs: connections to channels, and the receiver of what channels send."""

from django.urls import path

from dialogue.web.channels import receiver, views

urlpatterns = [
    path("channels/", views.channel_list, name="channels"),
    path("channels/<uuid:uid>/", receiver.receive, name="channel_receiver"),
    path("channels/<int:number>/", views.connection, name="channel"),
    path("channels/<int:number>/<slug:change>/", views.change_connection, name="channel_change"),
    path("channels/<int:number>/threads/<int:thread>/<slug:act>/", views.settle_thread, name="channel_thread"),
]
