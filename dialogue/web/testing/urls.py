"""URLs: The test console and test conversations."""

from django.urls import path

from dialogue.web.testing import comparison, from_conversation, inline_test, views

urlpatterns = [
    path("flows/<slug:assistant>/<slug:name>/test/", inline_test.begin_inline_test, name="flow_test"),
    path("test/", views.choose_assistant, name="tests"),
    path("test/<slug:assistant>/", views.begin_test, name="test"),
    path("test/<slug:assistant>/<uuid:conversation>/", views.test_console, name="test_chat"),
    path("test/<slug:assistant>/<uuid:conversation>/panel/", views.test_panel, name="test_panel"),
    path("test/<slug:assistant>/<uuid:conversation>/say/", views.send_message, name="test_say"),
    path("test/<slug:assistant>/<uuid:conversation>/clock/", views.move_test_clock, name="test_clock"),
    path("test/<slug:assistant>/<uuid:conversation>/stubs/", views.save_stubs, name="test_stubs"),
    path("test/<slug:assistant>/<uuid:conversation>/fork/", from_conversation.fork_from_turn, name="test_fork"),
    path("test/<slug:assistant>/<uuid:conversation>/gates/g<gate:number>/", views.answer_gate, name="test_gate"),
    path("test/<slug:assistant>/<uuid:conversation>/compare/", comparison.compare_conversation, name="test_compare"),
    path("test/<slug:assistant>/<uuid:conversation>/scenario/", from_conversation.save_scenario, name="test_scenario"),
]
