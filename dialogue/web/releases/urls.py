"""URLs: Releases and what moves between them."""

from django.urls import path

from dialogue.web.releases import activations, release_migration, scenario_check, views

urlpatterns = [
    path("releases/<slug:assistant>/", views.releases, name="releases"),
    path("releases/<slug:assistant>/changes/", views.changes, name="release_changes"),
    path("releases/<slug:assistant>/publish/", views.publish_heads, name="publish"),
    path("releases/<slug:assistant>/scenarios/", scenario_check.check_scenarios, name="publish_scenarios"),
    path("releases/<slug:assistant>/<int:number>/activate/", activations.activate_release, name="roll_back"),
    path("releases/<slug:assistant>/move/", release_migration.move_conversations, name="move_conversations"),
]
