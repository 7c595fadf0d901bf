"""URLs: The test console and test conversations."""

from django.urls import path

from dialogue.web.testing import comparison, from_conversation, inline_test, views

urlpatterns = [
    path("flows/<slug:assistant>/<slug:name>/test/", inline_test.begin, name="flow_test"),
    path("test/", views.choose, name="tests"),
    path("test/<slug:assistant>/", views.begin, name="test"),
    path("test/<slug:assistant>/<uuid:conversation>/", views.console, name="test_chat"),
    path("test/<slug:assistant>/<uuid:conversation>/panel/", views.panel, name="test_panel"),
    path("test/<slug:assistant>/<uuid:conversation>/say/", views.say, name="test_say"),
    path("test/<slug:assistant>/<uuid:conversation>/clock/", views.move, name="test_clock"),
    path("test/<slug:assistant>/<uuid:conversation>/stubs/", views.stub, name="test_stubs"),
    path("test/<slug:assistant>/<uuid:conversation>/fork/", from_conversation.go_back, name="test_fork"),
    path("test/<slug:assistant>/<uuid:conversation>/gates/g<gate:number>/", views.answer_gate, name="test_gate"),
    path("test/<slug:assistant>/<uuid:conversation>/compare/", comparison.compare, name="test_compare"),
    path("test/<slug:assistant>/<uuid:conversation>/scenario/", from_conversation.save_scenario, name="test_scenario"),
]
