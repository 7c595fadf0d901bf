"""Icons, and values in the reader's words: names, states, moments, durations and counts."""

import json
import re
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby

from babel.dates import format_skeleton
from django import template
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from dialogue.desk.forms.deadlines import full_moment_text
from dialogue.desk.forms.time_elements import moment_attributes, span_element, time_element
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.models import Conversation, HITLSession
from dialogue.models.account import Account, display_name
from dialogue.turns import clock
from dialogue.web.gates.counts import count_text
from dialogue.web.shared.customer_names import customer_element
from dialogue.web.shared.times import locale, span_text

register = template.Library()

TINTS = 5
_ACCOUNT_NUMBER = re.compile("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")

_STATE_WORDS = {
    "idle": gettext_lazy("idle"),
    "running": gettext_lazy("running"),
    "waiting": gettext_lazy("waits"),
    "done": gettext_lazy("over"),
    "failed": gettext_lazy("needs a person"),
    "cancelled": gettext_lazy("withdrawn"),
    "open": gettext_lazy("open"),
    "claimed": gettext_lazy("claimed"),
    "submitted": pgettext_lazy("state of a gate", "decided"),
    "expired": gettext_lazy("expired"),
    "active": gettext_lazy("active"),
    "paused": gettext_lazy("paused"),
    "parked": gettext_lazy("parked"),
    "calling": gettext_lazy("waits for what it called"),
    "planned": gettext_lazy("planned"),
}


@register.simple_tag
@cache
def icon(name: str, size: str = "") -> SafeString:
    """A drawing of the sprite; it says nothing that the words beside it do not."""
    sprite = static("dialogue/icons.svg")
    return format_html('<svg class="icon {}" aria-hidden="true"><use href="{}#i-{}"/></svg>', size, sprite, name)


@register.simple_tag
def whole_seconds(session: HITLSession) -> int:
    """The time that this session had when it was opened, in seconds; 0 without a deadline."""
    return int((session.expires_at - session.opened_at).total_seconds()) if session.expires_at else 0


@register.filter
def initials(user: Account | str) -> str:
    """Two letters for a face."""
    name = user if isinstance(user, str) else display_name(user)
    parts = name.replace("_", " ").replace(".", " ").split()
    words = [word for word in parts if word[0].isalnum() and not word.endswith(":")]
    letters = [word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)]
    return "".join(letters).upper() or "?"


@register.simple_tag
def customer(conversation: Conversation, form: str = "sign") -> SafeString:
    """The customer's name; where only the customer says it, a sign stands behind it that never gives way.

    `form` is "sign", or "word" where there is room for the word "unverified".
    """
    return customer_element(conversation, form)


@register.filter
def person_name(user: Account | None) -> str:
    """The name of an account's person; empty for None."""
    return display_name(user) if user is not None else ""


@register.filter
def state_words(state: str) -> str:
    """A state of a conversation, a gate or a flow, in the reader's language."""
    return str(_STATE_WORDS.get(state, state))


@register.filter
def name_words(name: str) -> str:
    """A name of the flow language in words: "ask IBAN" for `ask_iban`."""
    return words_of_name(name)


@register.filter
def break_groups(text: str) -> SafeString | str:
    """An account number that may break between its groups of four only; any other text as it is."""
    if not _ACCOUNT_NUMBER.fullmatch(text):
        return text
    return format_html_join("", "{}<wbr>", ((text[at : at + 4],) for at in range(0, len(text), 4)))


@register.filter
def break_path(path: str) -> SafeString:
    """A path of an address, which may break before its slashes."""
    first, *parts = path.split("/")
    return format_html("{}{}", first, format_html_join("", "<wbr>/{}", ((part,) for part in parts)))


@register.filter
def tint(name: object) -> str:
    """A colour that stays with a name."""
    return f"tint-{sum(str(name).encode()) % TINTS + 1}"


@register.filter
def at_time(at: datetime | None) -> SafeString | str:
    """The moment as `<time>`: short, with the full date and zone on hover and for screen readers; "" for None."""
    return "" if at is None else time_element(at)


@register.filter
def dated_time(at: datetime) -> SafeString:
    """The moment as `<time>` with its day, today too: for lists whose rows are months apart."""
    return time_element(at, is_dated=True)


@register.filter
def second_time(at: datetime | None) -> SafeString | str:
    """As `at_time`, with the seconds: for pages on which several things happen in a minute."""
    return "" if at is None else time_element(at, has_seconds=True)


@register.filter
def exact_time(at: datetime) -> SafeString:
    """The moment as `<time>` with weekday, date, seconds and zone, for records."""
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), full_moment_text(at))


@register.filter
def day_text(at: datetime) -> str:
    """The reader's day of a moment: "Today", "Yesterday", or "Monday, 23 November", with the year if it is another."""
    day, today = localtime(at).date(), localtime(clock.now()).date()
    if day == today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    return format_skeleton("yMMMMEEEEd" if day.year != today.year else "MMMMEEEEd", day, locale=locale())


@register.filter
def day_key(at: datetime) -> str:
    """The reader's day of a moment as `2026-11-23`, to tell days apart."""
    return localtime(at).date().isoformat()


@register.filter
def stored_moment(text: str) -> datetime:
    """The moment of an ISO 8601 text, as JSON columns hold it."""
    return datetime.fromisoformat(text)


@register.filter
def up_to_99(count: int) -> str:
    """A count of rows, which was not counted to its end: "99+"."""
    return count_text(count)


@register.filter
def since(at: datetime) -> SafeString:
    """How long ago, counting up on the page."""
    counting = format_html('data-since="{}"', at.isoformat())
    return span_element(at, span_text(clock.now() - at), counting)


@register.filter
def until(at: datetime) -> SafeString:
    """How long still, counting down on the page."""
    now = clock.now()
    words = span_text(at - now) if at > now else _("overdue")
    counting = format_html('data-until="{}" data-past="{}"', at.isoformat(), _("overdue"))
    return span_element(at, words, counting)


@register.filter
def countdown(at: datetime) -> SafeString:
    """How long still, after the moment itself in a sentence: "in 12 min", "overdue"; counting down on the page.

    Screen readers read the full moment before it, so it is only on hover here.
    """
    now, words = clock.now(), _("in %s")
    text = words % span_text(at - now) if at > now else _("overdue")
    mark = '<time {} data-until="{}" data-past="{}" data-words="{}">{}</time>'
    return format_html(mark, moment_attributes(at), at.isoformat(), _("overdue"), words, text)


@register.filter
def span(length: timedelta) -> str:
    """A span in its largest unit."""
    return span_text(length)


@register.filter
def with_value(phrase: str, value: object) -> str:
    """The phrase with the value in the place of its `%s`."""
    return phrase.replace("%s", str(value))


@register.filter
def slice_id(identity: object) -> str:
    """The beginning of an id, which tells rows of a list apart."""
    return str(identity)[:8]


@register.filter
def as_stubs(stubs: dict[str, list[dict[str, object]]]) -> str:
    """Stubs in the form of scenario files; JSON is YAML."""
    lines = ((name, json.dumps(stub, ensure_ascii=False)) for name, listed in stubs.items() for stub in listed)
    grouped = groupby(lines, key=lambda line: line[0])
    return "".join(f"{name}:\n" + "".join(f"  - {text}\n" for _name, text in rows) for name, rows in grouped)


@register.simple_tag
def runs_of(steps: dict[str, int], step: str) -> int:
    """How many scenarios came through this step."""
    return steps.get(step, 0)


@register.simple_tag
def waiting_in(waiting: dict[str, int], assistant: str, flow: str) -> int:
    """How many conversations wait in this flow."""
    return waiting.get(f"{assistant}/{flow}", 0)
