"""The addresses of what is tried out: the test console, scenarios, releases."""

from django.urls import path

from dialogue.web.flows import new_assistant as beginnings
from dialogue.web.releases import migrations
from dialogue.web.releases import views as releases
from dialogue.web.scenarios import editor as scenario_texts
from dialogue.web.scenarios import views as scenarios
from dialogue.web.testing import comparison as comparing
from dialogue.web.testing import from_conversation as trials
from dialogue.web.testing import inline_test as beside
from dialogue.web.testing import views as testing
from dialogue.web.understanding import examples

urlpatterns = [
    path("assistants/new/", beginnings.begin, name="new_assistant"),
    path("flows/<slug:assistant>/<slug:name>/test/", beside.begin, name="flow_test"),
    path("test/", testing.choose, name="tests"),
    path("test/<slug:assistant>/", testing.begin, name="test"),
    path("test/<slug:assistant>/<uuid:conversation>/", testing.console, name="test_chat"),
    path("test/<slug:assistant>/<uuid:conversation>/panel/", testing.panel, name="test_panel"),
    path("test/<slug:assistant>/<uuid:conversation>/say/", testing.say, name="test_say"),
    path("test/<slug:assistant>/<uuid:conversation>/clock/", testing.move, name="test_clock"),
    path("test/<slug:assistant>/<uuid:conversation>/stubs/", testing.stub, name="test_stubs"),
    path("test/<slug:assistant>/<uuid:conversation>/fork/", trials.go_back, name="test_fork"),
    path("test/<slug:assistant>/<uuid:conversation>/gates/g<gate:number>/", testing.answer_gate, name="test_gate"),
    path("test/<slug:assistant>/<uuid:conversation>/compare/", comparing.compare, name="test_compare"),
    path("test/<slug:assistant>/<uuid:conversation>/scenario/", trials.save_scenario, name="test_scenario"),
    path("conversations/<uuid:conversation>/misunderstood/", examples.misunderstood, name="misunderstood"),
    path("conversations/<uuid:conversation>/turns/<int:number>/example/", examples.correct, name="correct"),
    path("understanding/<slug:assistant>/examples/<int:number>/<slug:act>/", examples.decide, name="example_decide"),
    path("releases/<slug:assistant>/", releases.releases, name="releases"),
    path("releases/<slug:assistant>/changes/", releases.changes, name="release_changes"),
    path("releases/<slug:assistant>/publish/", releases.publish_heads, name="publish"),
    path("releases/<slug:assistant>/<int:number>/activate/", releases.roll_back, name="roll_back"),
    path("releases/<slug:assistant>/move/", migrations.move, name="move_conversations"),
    path("scenarios/<slug:assistant>/", scenarios.scenarios, name="scenarios"),
    path("scenarios/<slug:assistant>/run/", scenarios.run, name="scenario_run"),
    path("scenarios/<slug:assistant>/new/", scenarios.new, name="scenario_new"),
    path("scenarios/<slug:assistant>/download/", scenarios.download_all, name="scenario_zip"),
    path("scenarios/<slug:assistant>/schema/", scenario_texts.schema, name="scenario_schema"),
    path("scenarios/<slug:assistant>/check/", scenario_texts.check, name="scenario_check"),
    path("scenarios/<slug:assistant>/of/<slug:name>/", scenarios.document, name="scenario_document"),
    path("scenarios/<slug:assistant>/of/<slug:name>/download/", scenarios.download, name="scenario_download"),
    path("scenarios/<slug:assistant>/of/<slug:name>/delete/", scenarios.delete, name="scenario_delete"),
]
