"""URLs: Flows, their versions, and new assistants."""

from django.urls import path

from dialogue.web.flows import versions, views

urlpatterns = [
    path("flows/", views.flows, name="flows"),
    path("flows/import.zip", versions.import_assistant, name="flows_import"),
    path("flows/<slug:assistant>/", views.assistant_flows, name="flow_new"),
    path("flows/<slug:assistant>/export.zip", versions.export_assistant, name="flows_export"),
    path("flows/<slug:assistant>/<slug:name>/", views.flow, name="flow"),
    path("flows/<slug:assistant>/<slug:name>/history/", versions.history, name="flow_history"),
    path("flows/<slug:assistant>/<slug:name>/compare/", versions.compare, name="flow_compare"),
    path("flows/<slug:assistant>/<slug:name>/merge/", versions.merge_draft, name="flow_merge"),
    path("flows/<slug:assistant>/<slug:name>/drop/", versions.drop_own_draft, name="flow_drop"),
    path("flows/<slug:assistant>/<slug:name>/restore/<int:number>/", versions.restore_version, name="flow_restore"),
    path("assistants/new/", views.new_assistant, name="new_assistant"),
]
