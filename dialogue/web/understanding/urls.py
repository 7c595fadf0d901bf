"""URLs: Understanding: overview, runs, examples."""

from django.urls import path

from dialogue.web.understanding import examples, model_trials, views

urlpatterns = [
    path("understanding/", views.understanding_overview, name="understanding"),
    path("understanding/<slug:assistant>/", views.assistant_understanding, name="understanding_of"),
    path("understanding/<slug:assistant>/progress/", views.run_progress, name="understanding_progress"),
    path("understanding/<slug:assistant>/start/", views.start_run, name="understanding_start"),
    path("understanding/<slug:assistant>/choose/", views.choose_program, name="understanding_choose"),
    path("understanding/<slug:assistant>/model/", model_trials.try_language_model, name="understanding_model"),
    path("conversations/<uuid:conversation>/misunderstood/", examples.choose_misunderstood_line, name="misunderstood"),
    path("conversations/<uuid:conversation>/turns/<int:number>/example/", examples.correct_turn, name="correct"),
    path(
        "understanding/<slug:assistant>/examples/<int:number>/<slug:act>/",
        examples.decide_suggestion,
        name="example_decide",
    ),
]
