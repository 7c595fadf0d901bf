"""URLs: the receiver of channels."""

from django.urls import path

from dialogue.web.channels import receiver

urlpatterns = [
    path("channels/<uuid:uid>/", receiver.receive, name="channel_receiver"),
]
