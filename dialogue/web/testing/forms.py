"""Read the test console's forms."""

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
from dialogue.scenarios.format.files import Stub, plain_json
from dialogue.turns.accept import storable_value
from dialogue.web.shared.words.understanding import WAYS_OF_TESTS

DRAFT = "draft"

_STUBS = TypeAdapter(dict[str, tuple[Stub, ...]])


class FieldRefused(Exception):
    """A field of the form is invalid; the message says what to write instead."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.detail = detail


def read_circumstances(form: Mapping[str, str]) -> ConversationOptions:
    """The options of a new test conversation. Raises FieldRefused."""
    return ConversationOptions(
        release=_read_release(form.get("release", DRAFT)),
        customer=str(storable_value(form.get("customer", ""))).strip()[:200],
        language=_read_language(form.get("language", "")),
        at=_read_moment(form.get("at", "")),
        actions=_read_choice("actions", form.get("actions", ""), Trial.Actions.values, Trial.Actions.SIMULATED),
        nlu=_read_choice("nlu", form.get("nlu", ""), WAYS_OF_TESTS, ""),
    )


def read_duration(text: str) -> timedelta:
    """How far to move the clock ahead. Raises FieldRefused."""
    try:
        duration = parse_duration(text.strip().removeprefix("+"))
    except DurationRefused as error:
        raise FieldRefused("by", _("“%s” is not a duration. Write one such as 30m, 2h or 1d.") % text[:40]) from error
    if not timedelta(0) < duration <= timedelta(days=3650):
        raise FieldRefused("by", _("The clock moves ahead by up to ten years."))
    return duration


def read_stubs(text: str) -> dict[str, Any]:
    """The stubs of a YAML text, written as in scenario files, as plain JSON by action. Raises FieldRefused."""
    if not text.strip():
        return {}
    try:
        source = read_source(text)
    except SourceRefused as error:
        raise FieldRefused("stubs", _("Line %(line)s: %(text)s") % {"line": error.line, "text": error.text}) from error
    try:
        stubs = _STUBS.validate_python(source.tree)
    except ValidationError as error:
        first_error = error.errors()[0]
        line = source.value_at(tuple(first_error["loc"])).line
        raise FieldRefused(
            "stubs", _("Line %(line)s: %(text)s") % {"line": line, "text": first_error["msg"]}
        ) from error
    return {name: [_plain_stub(stub) for stub in stub_list] for name, stub_list in stubs.items()}


def read_actions(text: str, test: Trial) -> str:
    """Real or simulated actions. Raises FieldRefused for real ones where a real person's words would act again."""
    if text == Trial.Actions.REAL and test.private:
        detail = _(
            "This test was made of a real conversation: its actions stay simulated, so that nothing is done twice."
        )
        raise FieldRefused("actions", detail)
    return Trial.Actions.REAL if text == Trial.Actions.REAL else Trial.Actions.SIMULATED


def _plain_stub(stub: Stub) -> dict[str, Any]:
    keys = {"when": stub.when or None, "returns": stub.returns, "raises": stub.raises}
    return {name: plain_json(value) for name, value in keys.items() if value is not None}


def _read_release(text: str) -> int | None:
    if text in ("", DRAFT):
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise FieldRefused("release", _("Choose the draft or a release."))
    return int(text)


def _read_language(text: str) -> str:
    text = text.strip()
    try:
        return text if not text or Locale.parse(text[:35], sep="-") else ""
    except (ValueError, UnknownLocaleError) as error:
        raise FieldRefused("language", _("Write a language such as en or es-MX.")) from error


def _read_moment(text: str) -> datetime | None:
    if not text.strip():
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise FieldRefused("at", _("Write a date and a time, such as 2026-12-24T09:00.")) from error
    if not 1970 <= moment.year <= 2200:  # what is reckoned from it has to be a date too
        raise FieldRefused("at", _("Write a date and a time, such as 2026-12-24T09:00."))
    return moment if moment.tzinfo else moment.replace(tzinfo=get_current_timezone())


def _read_choice(field: str, text: str, choices: Any, default: str) -> str:
    if text not in ("", *choices):
        raise FieldRefused(field, _("This is not offered."))
    return text or default
