"""URLs: The queue of gates, one gate, and saved views."""

from django.urls import path

from dialogue.web.gates import bulk_answers, saved_views, tour, views

urlpatterns = [
    path("gates/", views.queue, name="gates"),
    path("gates/next/", views.next_gate, name="next_gate"),
    path("gates/together/", bulk_answers.bulk_answer, name="together"),
    path("gates/tour/", tour.end_tour, name="gate_tour"),
    path("gates/views/", saved_views.save, name="view_save"),
    path("gates/views/<int:number>/delete/", saved_views.delete, name="view_delete"),
    path("gates/g<gate:number>/", views.gate, name="gate"),
    path("gates/g<gate:number>/card/", views.card, name="gate_card"),
    path("gates/g<gate:number>/submit/", views.submit, name="gate_submit"),
    path("gates/g<gate:number>/draft/", views.draft, name="gate_draft"),
    path("gates/g<gate:number>/answers/", views.preview, name="gate_answers"),
    path("gates/g<gate:number>/links/<int:link>/<slug:act>/", views.change_link, name="gate_link"),
    path("gates/g<gate:number>/<slug:name>/", views.move, name="gate_move"),
]
