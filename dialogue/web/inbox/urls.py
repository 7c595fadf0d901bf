"""URLs: The inbox of handed-over chats."""

from django.urls import path

from dialogue.web.inbox import saved_replies, views

urlpatterns = [
    path("inbox/", views.inbox, name="inbox"),
    path("inbox/counts/", views.counts, name="inbox_counts"),
    path("inbox/replies/", saved_replies.replies, name="replies"),
    path("inbox/replies/<int:number>/", saved_replies.reply, name="reply"),
    path("inbox/replies/<int:number>/delete/", saved_replies.drop, name="reply_drop"),
    path("inbox/g<gate:number>/", views.chat, name="inbox_chat"),
    path("inbox/g<gate:number>/aside/", views.aside, name="inbox_aside"),
    path("inbox/g<gate:number>/say/", views.say, name="inbox_say"),
    path("inbox/g<gate:number>/draft/", views.draft, name="inbox_draft"),
    path("inbox/g<gate:number>/slot/", views.set_slot, name="inbox_slot"),
    path("inbox/g<gate:number>/back/", views.hand_back, name="inbox_back"),
    path("inbox/g<gate:number>/<slug:name>/", views.move, name="inbox_move"),
]
