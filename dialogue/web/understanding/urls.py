"""URLs: Learning: overview, runs, examples."""

from django.urls import path

from dialogue.web.understanding import examples, views

urlpatterns = [
    path("understanding/", views.overview, name="understanding"),
    path("understanding/<slug:assistant>/", views.understanding, name="understanding_of"),
    path("understanding/<slug:assistant>/progress/", views.progress, name="understanding_progress"),
    path("understanding/<slug:assistant>/start/", views.start, name="understanding_start"),
    path("understanding/<slug:assistant>/choose/", views.choose, name="understanding_choose"),
    path("conversations/<uuid:conversation>/misunderstood/", examples.misunderstood, name="misunderstood"),
    path("conversations/<uuid:conversation>/turns/<int:number>/example/", examples.correct, name="correct"),
    path("understanding/<slug:assistant>/examples/<int:number>/<slug:act>/", examples.decide, name="example_decide"),
]
