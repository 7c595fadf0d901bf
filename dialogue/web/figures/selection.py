"""What the figures are about: a period and filters, read from the address; and the data that they leave."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.http import Http404
from django.utils.functional import Promise
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.desk.access.people import SEE_EVERY_CHAT, Person
from dialogue.desk.figures.conversations import BegunConversation, begun_conversations
from dialogue.desk.figures.drop_off import FlowDropOff, drop_off, flow_pauses
from dialogue.desk.figures.gates import NO_QUEUE, GateFilter
from dialogue.desk.figures.periods import Period
from dialogue.desk.figures.satisfaction import Satisfaction, satisfaction_in
from dialogue.desk.figures.understanding import ReleaseUnderstanding, understanding_by_release
from dialogue.desk.queue.statistics import EndedSession, ended_sessions
from dialogue.engine.language.compiler import Assistant as ParsedAssistant
from dialogue.models import Assistant
from dialogue.models.account import accounts, display_name
from dialogue.turns import clock
from dialogue.turns.live import flow_words
from dialogue.web.shared.filter_chips import Chip, Option

PERIODS: dict[str, str | Promise] = {
    "7": gettext_lazy("7 days"),
    "30": gettext_lazy("30 days"),
    "90": gettext_lazy("90 days"),
}
DEFAULT_PERIOD = "30"
MAX_FILTER_CHARACTERS = 100


@dataclass(frozen=True)
class FigureQuery:
    """A period in days and the filters; everything else empty: all."""

    days: str = DEFAULT_PERIOD
    assistant: str = ""
    flow: str = ""
    queue: str = ""
    person: str = ""

    @classmethod
    def read(cls, values: Mapping[str, str]) -> "FigureQuery":
        """Read from an address. Raises Http404 for a period that is not offered."""
        texts = {name: str(values.get(name, "")).strip()[:MAX_FILTER_CHARACTERS] for name in cls.__dataclass_fields__}
        query = cls(**{**texts, "days": texts["days"] or DEFAULT_PERIOD})
        if query.days not in PERIODS:
            raise Http404
        return query

    def query_string(self, **changes: str) -> str:
        """Return the query string of the page with these filters."""
        return urlencode({name: text for name, text in asdict(replace(self, **changes)).items() if text})

    @property
    def is_filtered(self) -> bool:
        return bool(self.assistant or self.flow or self.queue or self.person)

    @property
    def narrows_gates_only(self) -> bool:
        """Whether a filter is set that says nothing about conversations."""
        return bool(self.flow or self.queue or self.person)


class Selection:
    """The data of the period and of the one before it, each read by one query when it is first asked for."""

    def __init__(self, person: Person, query: FigureQuery) -> None:
        self.person, self.query = person, query
        self.counted_at = clock.now()
        self.period = Period.ending_at(self.counted_at, int(query.days), get_current_timezone())

    @property
    def sees_conversations(self) -> bool:
        """Whether this person may see every conversation: figures of some of them would mislead."""
        return self.person.superuser or self.person.has(SEE_EVERY_CHAT)

    @cached_property
    def every_gate(self) -> list[EndedSession]:
        """The gates of both periods, without the filters."""
        return list(ended_sessions(self.person, self.period.before.start))

    @cached_property
    def gates(self) -> list[EndedSession]:
        return self._gates_of(self.period)

    @cached_property
    def gates_before(self) -> list[EndedSession]:
        return self._gates_of(self.period.before)

    def _gates_of(self, period: Period) -> list[EndedSession]:
        wanted = GateFilter(self.query.assistant, self.query.flow, self.query.queue, self.query.person)
        return [gate for gate in self.every_gate if gate.decided_at in period and wanted.leaves(gate)]

    @cached_property
    def _both_conversations(self) -> list[BegunConversation]:
        return begun_conversations(self.period.before.start, self.period.end, self.query.assistant)

    @cached_property
    def conversations(self) -> list[BegunConversation]:
        return [row for row in self._both_conversations if row.begun_at in self.period]

    @cached_property
    def conversations_before(self) -> list[BegunConversation]:
        return [row for row in self._both_conversations if row.begun_at in self.period.before]

    @cached_property
    def understanding(self) -> list[ReleaseUnderstanding]:
        return understanding_by_release(self.period, self.query.assistant)

    @cached_property
    def satisfaction(self) -> Satisfaction:
        return satisfaction_in(self.period, self.query.assistant)

    @cached_property
    def drop_off_flow(self) -> tuple[str, str]:
        """Assistant and flow whose drop-off is shown: those of the filters, else the flow with the most gates."""
        candidates = [key for key in self.flow_titles if self.query.assistant in ("", key[0])]
        if self.query.flow:
            candidates = [key for key in candidates if key[1] == self.query.flow]
        busiest = [(gate.assistant, gate.flow) for gate in self.gates]
        return max(candidates, key=busiest.count, default=("", ""))

    @cached_property
    def drop_off(self) -> FlowDropOff:
        assistant, flow = self.drop_off_flow
        parsed = self._parsed.get(assistant)
        steps = [step.step for step in parsed.flows[flow].all_steps()] if parsed and flow in parsed.flows else []
        return drop_off(flow_pauses(self.period, assistant, flow), steps)

    @cached_property
    def assistant_titles(self) -> dict[str, str]:
        return {row.name: row.translated_title or row.name for row in self._assistants}

    @cached_property
    def flow_titles(self) -> dict[tuple[str, str], str]:
        """Title by assistant and flow, of the flows that are live."""
        return {
            (name, flow): flow_words.flow_title(flow, parsed)
            for name, parsed in self._parsed.items()
            for flow in parsed.flows
        }

    def flow_title(self, assistant: str, flow: str) -> str:
        return flow_words.flow_title(flow, self._parsed.get(assistant))

    def step_title(self, assistant: str, flow: str, step: str) -> str:
        return flow_words.step_title(flow, step, self._parsed.get(assistant))

    @cached_property
    def _assistants(self) -> list[Assistant]:
        return list(Assistant.objects.select_related("active_release").order_by("name"))

    @cached_property
    def _parsed(self) -> dict[str, ParsedAssistant]:
        return {row.name: parsed for row in self._assistants if (parsed := flow_words.titles_of(row))}

    def chips(self) -> list[Chip]:
        """The filters, with the choices that there are in the data."""
        gates = [gate for gate in self.every_gate if self.query.assistant in ("", gate.assistant)]
        flows = sorted({(gate.flow, self.flow_title(gate.assistant, gate.flow)) for gate in gates})
        deciders = {gate.decider for gate in self.every_gate if gate.decider}
        people = [(str(row.pk), display_name(row)) for row in accounts().filter(pk__in=deciders)] if deciders else []
        queues = sorted({gate.queue for gate in self.every_gate})
        chips = [
            self._chip("assistant", _("Assistant"), sorted(self.assistant_titles.items(), key=lambda item: item[1])),
            self._chip("flow", _("Flow"), flows),
            self._chip("queue", _("Queue"), [(name or NO_QUEUE, name or _("without a queue")) for name in queues]),
            self._chip("person", _("Person"), sorted(people, key=lambda item: item[1])),
        ]
        return [chip for chip in chips if chip.options]

    def _chip(self, name: str, title: str, choices: list[tuple[str, str]]) -> Chip:
        value = getattr(self.query, name)
        changes = {"flow": ""} if name == "assistant" else {}
        options = [
            Option(words, self.query.query_string(**{**changes, name: choice}), choice == value)
            for choice, words in choices
        ]
        chosen = next((option.label for option in options if option.is_current), value)
        return Chip(name, title, chosen, self.query.query_string(**{**changes, name: ""}), options)
