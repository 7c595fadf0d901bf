"""Both sides of the mask in pages and over HTTP: gates for who decides, transcripts for who audits or administers."""

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User

from dialogue.conf import soni
from dialogue.desk.maintenance.retention import delete_expired_data
from dialogue.desk.protocols.mapping import AgentProtocol
from dialogue.desk.protocols.outgoing import interrupt_in
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller, InputFormat
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import AuditEntry, Conversation, HITLSession, Message, Submission, Turn
from dialogue.turns import clock
from dialogue.turns.live.serializers import listed_title
from tests.support.releases import demo
from tests.support.soni_settings import change
from tests.support.transfers import Opener, person, unsaved
from tests.support.turns import TRANSFER, bank, begun, say
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
IBAN, END = "DE89370400440532013000", "•••• 3000"
LOOKED = "conversation.looked"


@pytest.fixture
def root(db: None) -> User:
    return person("root", "Rut Berg", is_superuser=True, is_staff=True)


@pytest.fixture
def spoken(conversation: Conversation, session: HITLSession) -> Conversation:
    """Ursula has typed her account number, in groups of four, and it was understood."""
    text = "to DE89 3704 0044 0532 0130 00 please"
    Message.objects.create(conversation=conversation, seq=1, role="user", key="", text=text, at=clock.now())
    return conversation


def test_the_page_of_a_gate_shows_its_values_to_who_decides_and_the_mask_to_who_audits(
    session: HITLSession, olga: Caller, audrey: Caller, browser_of: Browser
):
    decides = text_of(browser_of(olga).get(f"/gates/{session.name}/"))
    audits = text_of(browser_of(audrey).get(f"/gates/{session.name}/"))

    assert IBAN in decides
    assert IBAN not in audits
    assert END in audits


def test_the_lines_above_a_gate_are_masked_as_soon_as_its_card_is(
    spoken: Conversation, session: HITLSession, olga: Caller, browser_of: Browser
):
    browser = browser_of(olga)
    pages = [f"/gates/{session.name}/", f"/conversations/{spoken.pk}/lines/?before=2&gate={session.number}"]
    before = [text_of(browser.get(page)) for page in pages]
    service.submit(session.pk, olga, Answer("approve", {}, InputFormat.PLAIN))
    after = [text_of(browser.get(page)) for page in pages]

    assert ["0532 0130" in page for page in before] == [True, True]
    assert ["0532 0130" in page for page in after] == [False, False]
    assert all(END in page for page in after)


def test_the_queue_shows_the_value_to_nobody(session: HITLSession, olga: Caller, browser_of: Browser):
    assert IBAN not in text_of(browser_of(olga).get("/gates/"))


def test_what_a_colleague_answered_in_a_sensitive_field_is_masked_for_who_may_not_decide(
    open_session: Opener, olga: Caller, oscar: Caller, audrey: Caller, browser_of: Browser
):
    secret = {"type": "string", "x-slot": {"type": "text", "sensitive": True}}
    session = open_session(schema={"type": "object", "properties": {"code": secret}, "x-order": ["code"]}, shown=[])
    service.answer_field(session.pk, 0, olga, "4711-0815-42")
    page = f"/gates/{session.name}/"

    assert "4711-0815-42" in text_of(browser_of(oscar).get(page))
    assert "4711-0815-42" not in text_of(browser_of(audrey).get(page))


def test_an_auditor_reads_the_transcript_with_the_account_masked_however_it_was_spaced(
    spoken: Conversation, olga: Caller, audrey: Caller, browser_of: Browser
):
    address = f"/conversations/{spoken.pk}/"

    assert "0532 0130" in text_of(browser_of(olga).get(address))
    masked = text_of(browser_of(audrey).get(address))
    assert "0532 0130" not in masked
    assert "to •••• please" in masked


@pytest.mark.parametrize("address", ["/api/v1/conversations/{pk}/messages", "/gates/{gate}/"])
def test_the_api_and_the_gate_mask_the_transcript_for_an_auditor_too(
    address: str, spoken: Conversation, session: HITLSession, audrey: Caller, browser_of: Browser
):
    answer = text_of(browser_of(audrey).get(address.format(pk=spoken.pk, gate=session.name)))

    assert "please" in answer
    assert "0532 0130" not in answer


def test_plain_transcripts_of_the_admin_are_closed_to_auditors(audrey: Caller, browser_of: Browser):
    User.objects.filter(pk=audrey.user).update(is_staff=True)

    assert browser_of(audrey).get("/admin/dialogue/message/").status_code == 403
    assert browser_of(audrey).get("/admin/dialogue/auditentry/").status_code == 200


def looks() -> list[object]:
    return [entry.facts.get("through") or entry.facts for entry in AuditEntry.objects.filter(act=LOOKED).order_by("pk")]


def test_each_look_of_a_superuser_is_on_record(spoken: Conversation, root: User, browser_of: Browser):
    browser = browser_of(root)

    browser.get(f"/conversations/{spoken.pk}/")
    browser.get(f"/conversations/{spoken.pk}/")
    browser.get(f"/api/v1/conversations/{spoken.pk}/messages")
    browser.get(f"/admin/dialogue/conversation/{spoken.pk}/change/")

    assert looks() == ["page", "page", "api", {"model": "conversation", "row": str(spoken.pk)}]


def test_who_reads_as_part_of_their_work_leaves_no_look(
    spoken: Conversation, olga: Caller, sofia: Caller, audrey: Caller, browser_of: Browser
):
    for who in (olga, sofia, audrey):
        assert browser_of(who).get(f"/conversations/{spoken.pk}/").status_code == 200

    assert looks() == []


@pytest.mark.django_db(transaction=True)
def test_what_was_understood_is_masked_without_any_gate(audrey: Caller, browser_of: Browser, payments: object):
    conversation = async_to_sync(begun)(demo("bank"))
    async_to_sync(say)(conversation, TRANSFER, bank())
    said = Message.objects.filter(conversation=conversation, role="user").get().text
    account = next(word for word in said.replace(",", " ").split() if word.startswith("DE"))

    page = text_of(browser_of(audrey).get(f"/conversations/{conversation.pk}/"))

    assert account not in page


@pytest.mark.django_db(transaction=True)
def test_records_over_http_quote_no_account_to_who_audits(
    audrey: Caller, sofia: Caller, browser_of: Browser, payments: object
):
    conversation = async_to_sync(begun)(demo("bank"))
    async_to_sync(say)(conversation, TRANSFER, bank())
    said = Message.objects.filter(conversation=conversation, role="user").get().text
    account = next(word for word in said.replace(",", " ").split() if word.startswith("DE"))
    Turn.objects.update(record={"path": [{"part": "llm", "prompt": f"What is meant by: {said}"}]})
    address = f"/api/v1/conversations/{conversation.pk}/turns"

    assert account in text_of(browser_of(sofia).get(address))
    assert account not in text_of(browser_of(audrey).get(address))
    assert account not in text_of(browser_of(audrey).get(f"{address}/1"))


@pytest.mark.django_db(transaction=True)
def test_once_it_is_forgotten_what_was_understood_all_of_the_transcript_is_masked(
    audrey: Caller, sofia: Caller, browser_of: Browser, payments: object, settings: Any
):
    conversation = async_to_sync(begun)(demo("bank"))
    async_to_sync(say)(conversation, TRANSFER, bank())
    async_to_sync(say)(conversation, "cancel that", bank())
    said = Message.objects.filter(conversation=conversation, seq=1).get().text
    Turn.objects.update(finished_at=clock.now() - timedelta(days=40))
    change(settings, KEPT_DAYS={**soni.KEPT_DAYS, "traces": 30})
    assert delete_expired_data()["traces"] == 2
    address = f"/api/v1/conversations/{conversation.pk}/messages"

    audits = browser_of(audrey).get(address)

    assert audits.status_code == 200
    assert {line["text"] for line in audits.json()["messages"]} == {"••••"}
    assert browser_of(audrey).get(f"/conversations/{conversation.pk}/").status_code == 200
    assert browser_of(sofia).get(address).json()["messages"][0]["text"] == said


def test_the_admin_masks_what_a_gate_told_and_why_it_was_decided_for_who_audits(
    open_session: Opener, olga: Caller, audrey: Caller, root: User, browser_of: Browser
):
    User.objects.filter(pk=audrey.user).update(is_staff=True)
    gate = open_session(title=f"Pay {IBAN}", message=f"To {IBAN}, as you said")
    service.submit(gate.pk, olga, Answer("reject", {"reason": f"{IBAN} is not theirs"}))
    pages = [f"/admin/dialogue/hitlsession/{gate.pk}/change/"]
    pages += [f"/admin/dialogue/submission/{row.pk}/change/" for row in Submission.objects.all()]
    pages += [f"/admin/dialogue/auditentry/{row.pk}/change/" for row in AuditEntry.objects.filter(act="session.submit")]

    for page in pages:
        assert IBAN in text_of(browser_of(root).get(page))
        assert IBAN not in text_of(browser_of(audrey).get(page))
    gate.refresh_from_db()
    assert gate.message == f"To {IBAN}, as you said"


def test_a_gate_quotes_no_account_to_who_audits_neither_in_words_nor_in_its_history(
    open_session: Opener, olga: Caller, audrey: Caller, browser_of: Browser
):
    gate, chat = open_session(message=f"To {IBAN}, as you said"), open_session(kind="handoff")
    for each in (gate, chat):
        service.add_note(each.pk, olga, f"{IBAN} is new")
    paths = [f"/gates/{gate.name}/", f"/inbox/{chat.name}/", f"/api/v1/sessions/{gate.name}"]

    before = [text_of(browser_of(audrey).get(path)) for path in paths]
    service.submit(gate.pk, olga, Answer("reject", {"reason": f"{IBAN} is not theirs"}))
    after = [text_of(browser_of(audrey).get(path)) for path in paths]

    assert [IBAN in page for page in (*before, *after)] == [False] * 6
    assert all("•••• is new" in page for page in before[:2])
    assert "•••• is not theirs" in after[0] and " is not theirs" in after[2]
    assert f"{IBAN} is not theirs" in text_of(browser_of(olga).get(paths[0]))


def test_what_was_wrongly_typed_into_a_sensitive_field_stands_in_no_history(
    open_session: Opener, olga: Caller, audrey: Caller, browser_of: Browser
):
    secret = Slot.model_validate({"type": "integer", "sensitive": True})
    session = open_session(schema=form_schema({"code": secret}), shown=[])

    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, olga, Answer("approve", {"code": "4711x"}, InputFormat.TYPED))

    assert refused.value.plain()["fields"][0]["value"] == "4711x"
    assert "4711x" not in Submission.objects.get().detail
    assert "4711x" not in text_of(browser_of(audrey).get(f"/gates/{session.name}/"))


def test_a_title_that_holds_the_account_is_masked_for_who_audits_and_in_every_list(
    open_session: Opener, olga: Caller, audrey: Caller, browser_of: Browser
):
    gate = open_session(title=f"Pay {IBAN}")
    page, card = f"/gates/{gate.name}/", f"/api/v1/sessions/{gate.name}"

    assert f"{gate.name} Pay ••••" in text_of(browser_of(audrey).get(page))
    assert browser_of(audrey).get(card).json()["title"] == "Pay ••••"
    assert browser_of(olga).get(card).json()["title"] == f"Pay {IBAN}"
    for browser in (browser_of(olga), browser_of(audrey)):
        assert "Pay ••••" in text_of(browser.get("/gates/"))
        assert IBAN not in text_of(browser.get("/gates/"))
        assert [each["title"] for each in browser.get("/api/v1/sessions").json()["sessions"]] == ["Pay ••••"]


def test_a_title_stays_masked_once_the_gate_is_decided_and_in_the_next_row_of_the_queue(
    open_session: Opener, olga: Caller, audrey: Caller, browser_of: Browser
):
    gate, following = open_session(title=f"Pay {IBAN}"), open_session(title=f"Pay {IBAN} again")
    service.submit(gate.pk, olga, Answer("approve"))

    assert IBAN not in text_of(browser_of(audrey).get(f"/gates/{gate.name}/"))
    assert f'<code class="plain-code">{following.name}</code>Pay •••• again' in text_of(
        browser_of(olga).get(f"/gates/{gate.name}/card/")
    )
    assert IBAN not in text_of(browser_of(audrey).get("/gates/?view=done"))


def test_what_goes_out_of_the_house_names_no_account_in_its_title(open_session: Opener, audrey: Caller):
    secret = {"type": "string", "x-slot": {"type": "text", "sensitive": True}}
    form = {"type": "object", "properties": {"code": secret}, "x-order": ["code"]}
    gate = open_session(title=f"Pay {IBAN} with 4711-0815", schema=form, values={"code": "4711-0815"})

    assert listed_title(gate) == "Pay •••• with ••••"
    assert interrupt_in(AgentProtocol.LANGCHAIN, gate)["action_requests"][0]["description"] == "Pay •••• with ••••"


@pytest.fixture
def transfer(payments: object) -> Conversation:
    """Ursula's transfer as it was really played: her account number was typed and understood."""
    conversation = async_to_sync(begun)(demo("bank"))
    async_to_sync(say)(conversation, TRANSFER, bank())
    return conversation


def rows_of(page: Any) -> list[Message]:
    """The rows of a list of the admin."""
    rows: list[Message] = page.context["cl"].result_list
    return rows


@pytest.mark.django_db(transaction=True)
def test_the_admins_list_of_messages_masks_what_is_sensitive_in_lines_of_both_sides(
    transfer: Conversation, sofia: Caller, root: User, browser_of: Browser
):
    User.objects.filter(pk=sofia.user).update(is_staff=True)

    for who in (sofia, root):
        page = browser_of(who).get("/admin/dialogue/message/")
        assert len(rows_of(page)) == 2
        assert IBAN not in text_of(page)
        assert text_of(page).count("••••") == 2
    assert Message.objects.filter(text__contains=IBAN).count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("words", "number"), [(IBAN, 0), ("DE89", 0), ("370400", 0), ("Lindqvist", 2), ("confirm:", 1)]
)
def test_the_search_of_that_list_finds_words_and_no_masked_value(
    words: str, number: int, transfer: Conversation, root: User, browser_of: Browser
):
    page = browser_of(root).get("/admin/dialogue/message/", {"q": words})

    assert len(rows_of(page)) == number


def test_the_search_of_the_admins_gates_finds_no_masked_value_in_a_title(
    open_session: Opener, root: User, browser_of: Browser
):
    open_session(title=f"Pay {IBAN} to Lindqvist")

    found = [
        rows_of(browser_of(root).get("/admin/dialogue/hitlsession/", {"q": q})) for q in (IBAN, "Lindqvist", "DE89")
    ]

    assert [len(rows) for rows in found] == [0, 1, 0]
    assert HITLSession.objects.get().title == f"Pay {IBAN} to Lindqvist"


def test_who_audits_finds_no_gate_by_a_masked_value_in_its_title(
    open_session: Opener, audrey: Caller, olga: Caller, browser_of: Browser
):
    gate = open_session(title=f"Pay {IBAN}")

    def found(who: Caller, words: str) -> tuple[int, int]:
        """How many rows the page and the API list."""
        page = browser_of(who).get("/gates/", {"q": words})
        listed = browser_of(who).get("/api/v1/sessions", {"q": words})
        return len(page.context["rows"]), len(listed.json()["sessions"])

    assert (found(audrey, IBAN), found(audrey, gate.flow)) == ((0, 0), (1, 1))
    assert found(olga, IBAN) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_the_inbox_masks_what_is_sensitive_in_the_last_line_of_a_chat(
    transfer: Conversation, olga: Caller, browser_of: Browser
):
    handed = {"kind": HITLSession.Kind.HANDOFF, "title": "Ursula asked for a person", "visit": 9}
    unsaved(conversation=transfer, **handed).save(force_insert=True)

    page = text_of(browser_of(olga).get("/inbox/"))

    assert "to Lindqvist Marine, ••••" in page
    assert IBAN not in page
