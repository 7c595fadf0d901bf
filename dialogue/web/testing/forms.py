"""What the test console's forms were filled with, read once beside the door."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from babel import Locale, UnknownLocaleError
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext as _
from pydantic import TypeAdapter, ValidationError

from dialogue.engine.slots.durations import DurationRefused, parse_duration
from dialogue.engine.source.parser import SourceRefused, read_source
from dialogue.library.releases.test_conversations import ConversationOptions
from dialogue.models import Trial
from dialogue.scenarios.format.files import Stub, plain
from dialogue.turns.accept import storable_value

DRAFT = "draft"
UNDERSTANDINGS = ("rules", "learned", "llm", "auto")

_STUBS = TypeAdapter(dict[str, tuple[Stub, ...]])


class TrialRefused(Exception):
    """A field of the form cannot be taken as it is; the message says what to write instead."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.detail = detail


def read_circumstances(given: Mapping[str, str]) -> ConversationOptions:
    """How the test shall be. Raises TrialRefused."""
    return ConversationOptions(
        release=_release(given.get("release", DRAFT)),
        customer=str(storable_value(given.get("customer", ""))).strip()[:200],
        language=_language(given.get("language", "")),
        at=_moment(given.get("at", "")),
        actions=_one_of("actions", given.get("actions", ""), Trial.Actions.values, Trial.Actions.SIMULATED),
        nlu=_one_of("nlu", given.get("nlu", ""), UNDERSTANDINGS, ""),
    )


def read_span(text: str) -> timedelta:
    """How far the clock is moved ahead. Raises TrialRefused."""
    try:
        span = parse_duration(text.strip().removeprefix("+"))
    except DurationRefused as why:
        raise TrialRefused("by", _("“%s” is not a duration. Write one such as 30m, 2h or 1d.") % text[:40]) from why
    if not timedelta(0) < span <= timedelta(days=3650):
        raise TrialRefused("by", _("The clock moves ahead by up to ten years."))
    return span


def read_stubs(text: str) -> dict[str, Any]:
    """The stubs of a YAML text in the form of scenario files, as plain JSON. Raises TrialRefused."""
    if not text.strip():
        return {}
    try:
        source = read_source(text)
    except SourceRefused as why:
        raise TrialRefused("stubs", _("Line %(line)s: %(text)s") % {"line": why.line, "text": why.text}) from why
    try:
        stubs = _STUBS.validate_python(source.tree)
    except ValidationError as why:
        wrong = why.errors()[0]
        line = source.value_at(tuple(wrong["loc"])).line
        raise TrialRefused("stubs", _("Line %(line)s: %(text)s") % {"line": line, "text": wrong["msg"]}) from why
    return {name: [_plain_stub(stub) for stub in listed] for name, listed in stubs.items()}


def read_actions(text: str, trial: Trial) -> str:
    """Real actions, or those that are simulated. Raises TrialRefused where a real person's words would act again."""
    if text == Trial.Actions.REAL and trial.private:
        why = _("This test was made of a real conversation: its actions stay simulated, so that nothing is done twice.")
        raise TrialRefused("actions", why)
    return Trial.Actions.REAL if text == Trial.Actions.REAL else Trial.Actions.SIMULATED


def _plain_stub(stub: Stub) -> dict[str, Any]:
    given = {"when": stub.when or None, "returns": stub.returns, "raises": stub.raises}
    return {name: plain(value) for name, value in given.items() if value is not None}


def _release(text: str) -> int | None:
    if text in ("", DRAFT):
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise TrialRefused("release", _("Choose the draft or a release."))
    return int(text)


def _language(text: str) -> str:
    text = text.strip()
    try:
        return text if not text or Locale.parse(text[:35], sep="-") else ""
    except (ValueError, UnknownLocaleError) as why:
        raise TrialRefused("language", _("Write a language such as en or es-MX.")) from why


def _moment(text: str) -> datetime | None:
    if not text.strip():
        return None
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError as why:
        raise TrialRefused("at", _("Write a date and a time, such as 2026-12-24T09:00.")) from why
    if not 1970 <= at.year <= 2200:  # what is reckoned from it has to be a date too
        raise TrialRefused("at", _("Write a date and a time, such as 2026-12-24T09:00."))
    return at if at.tzinfo else at.replace(tzinfo=get_current_timezone())


def _one_of(field: str, text: str, known: Any, usual: str) -> str:
    if text not in ("", *known):
        raise TrialRefused(field, _("This is not offered."))
    return text or usual
