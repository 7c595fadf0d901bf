"""URLs: Scenarios, their editor and their runs."""

from django.urls import path

from dialogue.web.scenarios import editor, views

urlpatterns = [
    path("scenarios/<slug:assistant>/", views.scenarios, name="scenarios"),
    path("scenarios/<slug:assistant>/run/", views.run_scenarios, name="scenario_run"),
    path("scenarios/<slug:assistant>/new/", views.new_document, name="scenario_new"),
    path("scenarios/<slug:assistant>/new/messages/", views.play_messages, name="scenario_messages"),
    path("scenarios/<slug:assistant>/download/", views.download_all, name="scenario_zip"),
    path("scenarios/<slug:assistant>/schema/", editor.schema, name="scenario_schema"),
    path("scenarios/<slug:assistant>/check/", editor.check, name="scenario_check"),
    path("scenarios/<slug:assistant>/of/<slug:name>/", views.edit_document, name="scenario_document"),
    path("scenarios/<slug:assistant>/of/<slug:name>/download/", views.download_document, name="scenario_download"),
    path("scenarios/<slug:assistant>/of/<slug:name>/delete/", views.delete_document, name="scenario_delete"),
]
