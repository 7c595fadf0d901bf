"""Test flows, actions and scenarios of a project with pytest, without a plugin; `docs/extending.md` shows how."""

from dialogue.testing.actions import ResultRefused, call_action
from dialogue.testing.documents import check_flows
from dialogue.testing.flows import FlowTest
from dialogue.testing.scenarios import ScenariosFailed, play_scenarios

__all__ = ["FlowTest", "ResultRefused", "ScenariosFailed", "call_action", "check_flows", "play_scenarios"]
