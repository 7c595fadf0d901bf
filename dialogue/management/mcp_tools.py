"""The tools of the MCP server. Each takes plain values and returns text; long texts come in pages.

A tool sees what its token's account sees through the API: sensitive values are masked unless the account may see them.
"""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from django.utils.translation import gettext as _

from dialogue.desk.access.conversations import visible_conversations
from dialogue.desk.access.people import visible_sessions
from dialogue.desk.access.redaction import has_insight, record_reading, redactor_for
from dialogue.desk.access.token_scopes import (
    CONVERSATIONS_READ,
    FLOWS_READ,
    FLOWS_TEST,
    SESSIONS_DECIDE,
    SESSIONS_READ,
)
from dialogue.desk.access.unmasking import shows_values
from dialogue.desk.forms.refusals import Refused
from dialogue.desk.queue.keyset import NotOffered
from dialogue.desk.queue.queue import SessionFilter, sessions_page
from dialogue.desk.sessions import serializers, service
from dialogue.desk.sessions.service import Answer, InputFormat
from dialogue.engine.actions import registry
from dialogue.engine.language.compiler import check_documents
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.nlu_programs.background_runs import RunAlreadyActive
from dialogue.library.releases.test_conversations import ConversationOptions, draft_documents, open_test_conversation
from dialogue.management.mcp_access import ToolRefused, assistant_with
from dialogue.management.terminal import counted
from dialogue.models import Assistant, Conversation, HITLSession, Turn
from dialogue.models.account import accounts
from dialogue.scenarios.runs import NothingToRun, open_run, play_run
from dialogue.turns.accept import Incoming, MessageRefused, accept
from dialogue.turns.compiled_releases import registered_actions
from dialogue.turns.live.serializers import (
    message_view,
    pending_view,
    redacted_record,
    redacted_view,
    stack_view,
)
from dialogue.turns.process.database import in_background, in_thread
from dialogue.turns.worker import drain

MAX_PAGE_CHARACTERS = 20_000
MAX_LISTED_SESSIONS = 50
MAX_DOCUMENTS = 200
MAX_DOCUMENTS_CHARACTERS = 1_000_000
MAX_MESSAGE_CHARACTERS = 20_000

Documents = dict[str, str] | None


async def check_flows(assistant: str, documents: Documents = None, page: int = 1) -> str:
    """Check the drafts of an assistant, and say every error and warning with its file, line and advice.

    `documents` are texts by file name that are checked in place of the stored ones, such as {"refund.yaml": "…"}.
    """
    return _page_of(await in_thread(_check_flows)(assistant, documents), page)


async def run_scenarios(assistant: str, scenario: str = "", page: int = 1) -> str:
    """Play the stored scenarios of an assistant against its drafts, or only the one with this title.

    Actions are simulated, and the database of the installation is not touched. The answer has each scenario that falls
    short, with its first difference.
    """
    return _page_of(await in_background(_run_scenarios)(assistant, scenario), page)


async def begin_draft_chat(assistant: str, language: str = "", documents: Documents = None) -> str:
    """Begin a test conversation with the drafts of an assistant; its actions are simulated.

    `documents` are texts by file name that are tried in place of the stored ones. The answer has the `conversation`
    that `say_in_draft_chat` and `explain_turn` take.
    """
    row = await in_thread(_begin_draft_chat)(assistant, language, documents)
    await drain(row.pk)
    return await in_thread(_first_lines)(row)


async def say_in_draft_chat(conversation: str, text: str) -> str:
    """Say something in a test conversation as its customer. The answer has the assistant's lines and what waits."""
    row, number = await in_thread(_say)(conversation, text)
    await drain(row.pk)
    return await in_thread(_reply_text)(row, number)


async def explain_turn(conversation: str, turn: int, page: int = 1) -> str:
    """Say why a turn went as it did: what was understood by which part, slots, path, actions, and the lines said."""
    return _page_of(await in_thread(_explain_turn)(conversation, turn), page)


async def list_sessions(state: str = "pending", assistant: str = "", cursor: str = "", limit: int = 20) -> str:
    """List the gates that wait for people, the most urgent first. `next` is the cursor of the next page."""
    return await in_thread(_list_sessions)(state, assistant, cursor, limit)


async def read_session(session: str, page: int = 1) -> str:
    """Read one gate, such as g12: question, values, form, actions with consequences, version, deadline, history."""
    return _page_of(await in_thread(_read_session)(session), page)


async def decide_session(
    session: str, action: str, version: int, values: dict[str, Any] | None = None, reason: str = ""
) -> str:
    """Decide one gate with one of its actions, as the person whose token this is. Ask that person first.

    `version` is the one that `read_session` showed; a gate that changed since then is refused. The record names the
    person, the token, and that an assistant decided through MCP.
    """
    conversation, text = await in_thread(_decide_session)(session, action, version, values or {}, reason)
    await drain(conversation)
    return text


READING_TOOLS = (explain_turn, list_sessions, read_session)
AUTHOR_TOOLS = (check_flows, run_scenarios, begin_draft_chat, say_in_draft_chat)


def _check_flows(assistant: str, documents: Documents) -> str:
    assistant_with(FLOWS_READ).for_flows()
    texts = _documents(_assistant_named(assistant), documents)
    problems = check_documents(texts, registered_actions(), registry.mismatch)
    errors = sum(problem.severity == "error" for problem in problems)
    lines = [f"{problem.severity}: {problem}" for problem in problems]
    found = f"{counted(errors, 'error')}, {counted(len(problems) - errors, 'warning')}"
    return "\n".join([*lines, f"{found} in {counted(len(texts), 'document')}."])


def _run_scenarios(assistant: str, title: str) -> str:
    person = assistant_with(FLOWS_TEST).for_testing()
    home = _assistant_named(assistant)
    only = home.scenarios.filter(title=title).first() if title else None
    if title and only is None:
        known = ", ".join(home.scenarios.order_by("title").values_list("title", flat=True)[:50])
        raise ToolRefused(
            _("There is no scenario “%(title)s”. There are: %(known)s.") % {"title": title, "known": known}
        )
    documents = draft_documents(home)
    try:
        run = open_run(home, documents, accounts().get(pk=person.id), only=only)
    except NothingToRun:
        raise ToolRefused(_("This assistant has no scenarios.")) from None
    except RunAlreadyActive:
        raise ToolRefused(
            _("Scenarios of this assistant are being played already. Try again when they are done.")
        ) from None
    play_run(run, documents, only)
    run.refresh_from_db()
    failed = [row.result for row in home.scenarios.filter(passed=False, sha256=run.sha256) if not only or row == only]
    return _as_text(
        {"state": run.state, "played": run.done, "failed": run.failed, "problem": run.error, "differences": failed}
    )


def _begin_draft_chat(assistant: str, language: str, documents: Documents) -> Conversation:
    person = assistant_with(FLOWS_TEST).for_testing()
    home = _assistant_named(assistant)
    texts = _documents(home, documents) if documents else None
    try:
        options = ConversationOptions(language=language, documents=texts)
        return open_test_conversation(home, options, accounts().get(pk=person.id))
    except FlowProblems as error:
        raise ToolRefused(_("The draft makes no assistant:\n%s") % error) from None


def _say(conversation: str, text: str) -> tuple[Conversation, int]:
    person = assistant_with(FLOWS_TEST).for_testing()
    row = Conversation.objects.filter(pk=_conversation_id(conversation), test=True, trial__owner=person.id).first()
    if row is None:
        raise ToolRefused(_("This account has no test conversation of this id. Begin one."))
    if not 0 < len(text) <= MAX_MESSAGE_CHARACTERS:
        raise ToolRefused(_("A message has 1 to %s characters.") % MAX_MESSAGE_CHARACTERS)
    try:
        return row, accept(row.pk, Incoming("message", uuid4().hex, {"text": text}, text=text)).event
    except MessageRefused as refused:
        raise ToolRefused(refused.detail) from None


def _first_lines(row: Conversation) -> str:
    lines = [message_view(line) for line in row.messages.order_by("seq")]
    return _as_text({"conversation": str(row.pk), "messages": lines, "pending": pending_view(row.pk, insight=True)})


def _reply_text(row: Conversation, event: int) -> str:
    turn = Turn.objects.filter(event=event).first()
    row.refresh_from_db()
    if turn is None:
        return _as_text(
            {"turn": None, "state": row.state, "note": _("The message is stored; its turn has not run yet.")}
        )
    return _as_text(
        {
            "turn": turn.number,
            "messages": [message_view(line) for line in turn.messages.order_by("ordinal")],
            "state": turn.state,
            "stack": stack_view(turn.stack),
            "pending": pending_view(row.pk, insight=True),
        }
    )


def _explain_turn(conversation: str, number: int) -> str:
    reader = assistant_with(CONVERSATIONS_READ, FLOWS_TEST)
    rows = visible_conversations(reader.person)
    if not reader.token.has_scope(CONVERSATIONS_READ):
        rows = rows.filter(test=True)
    row = rows.filter(pk=_conversation_id(conversation)).first()
    if row is None or not has_insight(reader.person, row):
        raise ToolRefused(_("This account sees no conversation of this id."))
    turn = row.turns.select_related("event").filter(number=number).first()
    if turn is None:
        raise ToolRefused(
            _("There is no turn %(number)s; the last one is %(last)s.") % {"number": number, "last": row.last_turn}
        )
    record_reading(row, reader.person, "mcp")
    redact = redactor_for(reader.person, row)
    return _as_text(
        {
            "turn": turn.number,
            "event": turn.event.kind,
            "messages": [redacted_view(message_view(line), redact) for line in turn.messages.order_by("ordinal")],
            "state": turn.state,
            "stack": stack_view(turn.stack, unmasked=shows_values(reader.person, row)),
            "record": redacted_record(turn.record, redact),
        }
    )


def _list_sessions(state: str, assistant: str, cursor: str, limit: int) -> str:
    reader = assistant_with(SESSIONS_READ)
    filters = SessionFilter(state=state, assistant=assistant)
    try:
        rows = sessions_page(reader.person, filters, cursor=cursor, limit=max(1, min(limit, MAX_LISTED_SESSIONS)))
    except NotOffered as error:
        raise ToolRefused(str(error)) from None
    return _as_text({"sessions": [serializers.session_summary(row) for row in rows.rows], "next": rows.next})


def _read_session(name: str) -> str:
    reader = assistant_with(SESSIONS_READ)
    row = visible_sessions(reader.person).filter(pk=_session_number(name)).first()
    if row is None:
        raise ToolRefused(_("This account sees no gate %s.") % name)
    return _as_text(serializers.session_details(row, reader.person))


def _decide_session(name: str, action: str, version: int, values: Mapping[str, Any], reason: str) -> tuple[UUID, str]:
    caller = assistant_with(SESSIONS_DECIDE).for_deciding()
    answer = Answer(action, dict(values), InputFormat.JSON, reason)
    try:
        outcome = service.submit(_session_number(name), caller, answer, version=version)
    except Refused as refused:
        raise ToolRefused(f"{refused.code}: {refused.detail}") from None
    session = HITLSession.objects.get(pk=outcome.session.pk)
    waiting = {"note": _("Another person has to agree.")} if outcome.status == 202 else {}
    return session.conversation_id, _as_text({**serializers.session_summary(session), **waiting})


def _assistant_named(name: str) -> Assistant:
    row = Assistant.objects.filter(name=name).first()
    if row is None:
        known = ", ".join(Assistant.objects.order_by("name").values_list("name", flat=True))
        raise ToolRefused(_("There is no assistant “%(name)s”. There are: %(known)s.") % {"name": name, "known": known})
    return row


def _documents(home: Assistant, changed: Documents) -> dict[str, str]:
    texts = {**draft_documents(home), **(changed or {})}
    if len(texts) > MAX_DOCUMENTS or sum(map(len, texts.values())) > MAX_DOCUMENTS_CHARACTERS:
        raise ToolRefused(_("The documents are too large."))
    return texts


def _conversation_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ToolRefused(_("“%s” is not the id of a conversation.") % text[:100]) from None


def _session_number(name: str) -> int:
    digits = name.removeprefix("g")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
        raise ToolRefused(_("“%s” is not the name of a gate, such as g12.") % name[:100])
    return int(digits)


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def _page_of(text: str, page: int) -> str:
    """The page of a text, cut at the end of a line, with a last line that says how to read on."""
    if len(text) <= MAX_PAGE_CHARACTERS:
        return text
    pages = _pages(text)
    if not 1 <= page <= len(pages):
        raise ToolRefused(_("There are %s pages.") % len(pages))
    return f"{pages[page - 1]}\n[page {page} of {len(pages)}; `page` reads the others]"


def _pages(text: str) -> list[str]:
    pages = [""]
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), MAX_PAGE_CHARACTERS):
            part = line[start : start + MAX_PAGE_CHARACTERS]
            if len(pages[-1]) + len(part) > MAX_PAGE_CHARACTERS:
                pages.append("")
            pages[-1] += part
    return pages
