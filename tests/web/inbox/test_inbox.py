"""The inbox: who is in it and in which order, one chat beside it, and what is done there."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dialogue.conf import soni
from dialogue.desk.chats import chats
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText, answers_of, draft_of
from dialogue.models import AuditEntry, Conversation, Event, HITLSession, SavedReply
from dialogue.models.sessions.session import FAR_FUTURE
from dialogue.turns.accept import open_conversation
from tests.support.web.pages import HTMX, text_of

STACK = [
    {
        "flow": "transfer_money",
        "frame": "transfer_money-1",
        "step": "ask_iban",
        "awaiting": "transfer_money!handoff",
        "status": "active",
        "path": ["ask_beneficiary", "ask_iban"],
        "slots": {
            "amount": {
                "value": "6000.00",
                "shown": "€6,000.00",
                "source": "user",
                "turn": 1,
                "by": "",
                "sensitive": False,
            }
        },
    }
]


@pytest.fixture
def open_chat(open_session, noon):
    """A chat of a customer of this name that waits since so many minutes."""

    def opened(name="Ursula", minutes=0, **changes):
        row, _token = open_conversation("bank", user_ref=name, vouched=True)
        row.stack = STACK
        row.messages.create(seq=1, role="user", text=f"This is {name}", at=noon.at)
        row.messages.create(seq=2, role="assistant", key="handoff", text="A colleague comes.", at=noon.at)
        row.last_message = 2
        row.save()
        since = noon.at - timedelta(minutes=minutes)
        place = {"kind": "handoff", "step": "handoff", "frame": "conversation", "schema": {}, "actions": []}
        times = {"opened_at": since, "waits_since": since, "due_at": since + timedelta(minutes=5), "expires_at": None}
        return open_session(**{**place, **times, "conversation": row, "group": None, "on_timeout": "", **changes})

    return opened


def names(response):
    """The customers of the rows, part by part."""
    return {each.section.name: [row.customer for row in each.rows] for each in response.context["listed"]}


def test_who_waits_longest_is_first_and_whose_chat_it_is_parts_them(browser_of, open_chat, olga, oscar):
    for name, minutes in (("Ana", 2), ("Ben", 9), ("Cleo", 4), ("Dana", 1)):
        chat = open_chat(name, minutes)
        if name == "Cleo":
            service.claim(chat.number, olga)
        if name == "Dana":
            service.claim(chat.number, oscar)

    page = browser_of(olga).get("/inbox/")

    assert names(page) == {"mine": ["Cleo"], "waiting": ["Ben", "Ana"], "others": ["Dana"]}
    assert page.context["counts"] == {"open": 4, "waiting": 2}
    assert 'data-chats="waiting">2</b>' in text_of(page)


def test_a_wait_that_is_too_long_is_said_in_words_and_colour(browser_of, open_chat, olga):
    late, fresh = open_chat("Ana", 6), open_chat("Ben", 1)

    rows = {row.session.pk: row for each in browser_of(olga).get("/inbox/").context["listed"] for row in each.rows}

    assert (rows[late.pk].late, rows[fresh.pk].late) == (True, False)
    page = text_of(browser_of(olga).get("/inbox/"))
    assert page.count('class="waiting-time late"') == 1
    assert "too long" in page


def test_after_the_first_answer_each_new_line_has_a_clock_of_its_own(browser_of, open_chat, olga, noon, settings):
    chat = open_chat("Ana", 60)
    HITLSession.objects.filter(pk=chat.pk).update(waits_since=noon.at - soni.ANSWER_WITHIN + timedelta(seconds=1))
    [row] = browser_of(olga).get("/inbox/").context["listed"][1].rows
    assert not row.late

    HITLSession.objects.filter(pk=chat.pk).update(waits_since=FAR_FUTURE)

    [row] = browser_of(olga).get("/inbox/").context["listed"][1].rows
    assert (row.waits_since, row.late) == (None, False)


@pytest.mark.parametrize(
    ("search", "found"), [("ana", 1), ("g{number}", 1), ("colleague", 2), ("this ben", 1), ("no", 0)]
)
def test_chats_are_found_by_name_reference_and_what_was_said(browser_of, open_chat, olga, search, found):
    chat = open_chat("Ana")
    open_chat("Ben")

    page = browser_of(olga).get("/inbox/", {"q": search.format(number=chat.number)})

    assert len(names(page)["waiting"]) == found


def test_the_second_page_of_a_part_goes_on_where_the_first_ended(browser_of, open_chat, olga):
    for minutes in range(52):
        open_chat(f"Customer {minutes:02}", minutes)
    first = browser_of(olga).get("/inbox/").context["listed"][1]

    rest = browser_of(olga).get(
        "/inbox/", {"part": "waiting", "after": first.next}, headers={"HX-Target": "more-waiting"}
    )

    assert len(first.rows) == 50
    assert [row.customer for row in rest.context["listed"].rows] == ["Customer 01", "Customer 00"]
    assert "<main" not in text_of(rest)


def test_a_cursor_that_no_page_gave_out_leads_nowhere(browser_of, open_chat, olga):
    assert browser_of(olga).get("/inbox/", {"part": "waiting", "after": "1 OR 1=1"}).status_code == 404


def test_the_page_asks_the_same_number_of_questions_for_two_chats_and_for_forty(
    browser_of, open_chat, olga, django_assert_max_num_queries
):
    browser = browser_of(olga)
    chat, _other = open_chat(), open_chat("Ben")
    browser.get(f"/inbox/{chat.name}/")
    with django_assert_max_num_queries(60) as few:
        browser.get(f"/inbox/{chat.name}/")
    for number in range(40):
        open_chat(f"Customer {number}")

    with django_assert_max_num_queries(60) as many:
        browser.get(f"/inbox/{chat.name}/")

    assert len(many) == len(few)


def test_the_chat_alone_is_answered_without_the_list_and_the_list_without_the_chat(
    browser_of, open_chat, olga, django_assert_max_num_queries
):
    chat, browser = open_chat(), browser_of(olga)
    browser.get(f"/inbox/{chat.name}/")

    with django_assert_max_num_queries(14):
        pane = text_of(browser.get(f"/inbox/{chat.name}/?tab=done", headers={**HTMX, "HX-Target": "case"}))
    rows = text_of(browser.get(f"/inbox/{chat.name}/", headers={**HTMX, "HX-Target": "queue-list"}))

    assert pane.startswith("<title>Ursula")
    assert ('id="case"' in pane, 'id="context"' in pane, 'id="queue"' in pane) == (True, True, False)
    assert "/inbox/?tab=done" in pane
    assert (f'id="row-{chat.name}"' in rows, 'id="case"' in rows) == (True, False)


def test_the_list_asks_at_most_thirteen_questions_with_chats_in_every_part_and_tests_beside_them(
    browser_of, open_chat, open_session, olga, oscar
):
    browser, own_test = browser_of(olga), open_conversation("bank", user=User.objects.get(pk=olga.user), test=True)[0]
    open_session(conversation=own_test)
    for name in ("Ursula", "Ben"):
        open_chat(name)
        service.claim(open_chat(f"{name} with Olga").number, olga)
        service.claim(open_chat(f"{name} with Oscar").number, oscar)

    browser.get("/inbox/")  # a process reads a release once, for what of it is sensitive
    with CaptureQueriesContext(connection) as asked:
        page = browser.get("/inbox/")

    assert {part: len(rows) for part, rows in names(page).items()} == {"mine": 2, "waiting": 2, "others": 2}
    assert len(asked) <= 13


def test_what_was_handed_back_is_with_the_bot_and_later_over(browser_of, open_chat, olga):
    chat = open_chat("Ana")
    chats.hand_back(chat.number, olga)
    assert names(browser_of(olga).get("/inbox/?tab=bot")) == {"bot": ["Ana"]}

    Conversation.objects.filter(pk=chat.conversation_id).update(state="done")

    assert names(browser_of(olga).get("/inbox/?tab=bot")) == {"bot": []}
    page = browser_of(olga).get("/inbox/?tab=done")
    assert names(page) == {"done": ["Ana"]}
    assert "handed back by Olga Petrov" in text_of(page)


def test_tests_are_no_work(browser_of, open_chat, olga):
    chat = open_chat("Ana")
    Conversation.objects.filter(pk=chat.conversation_id).update(test=True)

    assert names(browser_of(olga).get("/inbox/")) == {"mine": [], "waiting": [], "others": []}
    assert browser_of(olga).get(f"/inbox/{chat.name}/").status_code == 404


def test_a_gate_is_no_chat_and_a_chat_is_opened_in_the_inbox(browser_of, open_chat, session, olga):
    chat = open_chat()

    assert browser_of(olga).get(f"/inbox/{session.name}/").status_code == 404
    assert browser_of(olga).get(f"/gates/{chat.name}/")["location"] == f"/inbox/{chat.name}/"


def test_a_chat_shows_what_was_said_where_the_bot_stopped_and_what_it_knows(browser_of, open_chat, olga):
    chat = open_chat("Ana", 3)

    page = text_of(browser_of(olga).get(f"/inbox/{chat.name}/"))

    for text in ("This is Ana", "A colleague comes.", "asked for a person", "ask_beneficiary", "€6,000.00", "not set"):
        assert text in page


def test_a_line_is_written_once_and_its_number_told(browser_of, open_chat, olga):
    chat, browser = open_chat(), browser_of(olga)

    told = [browser.post(f"/inbox/{chat.name}/say/", {"text": "Hello Ana", "key": "k1"}).json() for _ in range(2)]

    assert told == [{"seq": 3}, {"seq": 3}]
    assert chat.conversation.messages.filter(role="operator").count() == 1
    chat.refresh_from_db()
    assert chat.assignee_id == olga.user


def test_a_line_for_a_gate_goes_there_and_the_customer_reads_nothing(browser_of, open_chat, open_session, olga):
    chat, gate, browser = open_chat(), open_session(), browser_of(olga)
    browser.post(f"/inbox/{chat.name}/draft/", {"text": f"@{gate.name}.0 9000"})

    answered = browser.post(f"/inbox/{chat.name}/say/", {"text": f"@{gate.name}.0 9000", "key": "k1"})
    refused = browser.post(f"/inbox/{chat.name}/say/", {"text": f"@{gate.name}.0 much", "key": "k2"})
    unclear = browser.post(f"/inbox/{chat.name}/say/", {"text": "@g1x yes", "key": "k3"})

    assert (answered.status_code, answered.json()) == (200, {"said": f"{gate.name}.0 is answered."})
    assert answers_of(gate) == {"daily_limit": 9000}
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_value")
    assert (unclear.status_code, unclear.json()["code"]) == (422, "unknown_line")
    assert not chat.conversation.messages.filter(role="operator").exists()
    assert draft_of(chat, olga.user) == DraftText()


def test_two_at_signs_send_one_to_the_customer(browser_of, open_chat, olga):
    chat = open_chat()

    sent = browser_of(olga).post(f"/inbox/{chat.name}/say/", {"text": "@@g12 is your code", "key": "k1"})

    assert sent.status_code == 200
    assert chat.conversation.messages.get(role="operator").text == "@g12 is your code"


def test_what_cannot_be_sent_says_why(browser_of, open_chat, olga, oscar):
    chat = open_chat()
    service.claim(chat.number, oscar)

    taken = browser_of(olga).post(f"/inbox/{chat.name}/say/", {"text": "Hello", "key": "k1"})
    empty = browser_of(oscar).post(f"/inbox/{chat.name}/say/", {"text": "  ", "key": "k2"})

    assert (taken.status_code, taken.json()["code"]) == (409, "claimed_by_other")
    assert "Oscar Lindt" in taken.json()["detail"]
    assert empty.status_code == 422


def test_a_draft_is_there_again_after_a_reload(browser_of, open_chat, olga):
    chat, browser = open_chat(), browser_of(olga)
    assert browser.post(f"/inbox/{chat.name}/draft/", {"text": "Half a sen"}).status_code == 200

    assert "Half a sen</textarea>" in text_of(browser.get(f"/inbox/{chat.name}/"))


def test_a_wrong_value_comes_back_in_its_row_with_what_is_wrong(browser_of, open_chat, olga):
    chat = open_chat()
    sent = {"slot": "transfer_money.amount", "value": "<b>a lot</b>"}

    answer = browser_of(olga).post(f"/inbox/{chat.name}/slot/", sent, headers=HTMX)

    page = text_of(answer)
    assert answer.status_code == 422
    assert 'value="&lt;b&gt;a lot&lt;/b&gt;"' in page
    assert 'aria-invalid="true"' in page
    assert "<details data-edit open>" in page
    assert not Event.objects.filter(kind="slots").exists()


def test_a_value_that_fits_is_set_and_on_record(browser_of, open_chat, olga):
    chat = open_chat()
    sent = {"slot": "transfer_money.amount", "value": "7000"}

    answer = browser_of(olga).post(f"/inbox/{chat.name}/slot/", sent, headers=HTMX)

    assert answer.status_code == 200
    assert "being set" in text_of(answer)
    assert Event.objects.get(kind="slots").payload["values"] == {"transfer_money.amount": "7000.00"}
    assert AuditEntry.objects.filter(act="session.set_slots", subject=chat.name).count() == 1


def test_a_value_that_no_flow_here_has_is_refused(browser_of, open_chat, olga):
    chat = open_chat()

    answer = browser_of(olga).post(f"/inbox/{chat.name}/slot/", {"slot": "block_card.card_last4", "value": "1"})

    assert answer.status_code == 422
    assert "No flow here has this slot." in text_of(answer)


def test_handing_back_names_the_next_chat(browser_of, open_chat, olga):
    chat, other = open_chat("Ana", 5), open_chat("Ben", 2)

    answer = browser_of(olga).post(f"/inbox/{chat.name}/back/", headers=HTMX)

    assert answer.status_code == 200
    assert f"/inbox/{other.name}/" in text_of(answer)
    assert 'data-place="over"' in text_of(answer)


def test_moves_answer_with_the_heading_and_a_browser_without_scripts_with_the_page(browser_of, open_chat, olga):
    chat, browser = open_chat(), browser_of(olga)

    claimed = browser.post(f"/inbox/{chat.name}/claim/", headers=HTMX)
    noted = browser.post(f"/inbox/{chat.name}/note/", {"text": "Calls from abroad"})

    assert 'data-place="mine"' in text_of(claimed)
    assert (noted.status_code, noted["location"]) == (302, f"/inbox/{chat.name}/")
    assert "Calls from abroad" in text_of(browser.get(f"/inbox/{chat.name}/"))
    assert browser.post(f"/inbox/{chat.name}/submit/").status_code == 404


def test_who_audits_reads_no_lines_in_the_list(browser_of, open_chat, audrey, olga):
    open_chat("Ana")

    page = browser_of(audrey).get("/inbox/")

    assert names(page)["waiting"] == ["Ana"]
    assert "This is Ana" not in text_of(page)
    assert "This is Ana" in text_of(browser_of(olga).get("/inbox/"))


def test_older_lines_come_when_they_are_asked_for(browser_of, open_chat, olga, noon):
    chat = open_chat("Ana")
    rows = chat.conversation.messages
    rows.bulk_create(
        rows.model(conversation=chat.conversation, seq=seq, role="user", text=f"Line {seq}.", at=noon.at)
        for seq in range(3, 351)
    )
    browser = browser_of(olga)
    page = text_of(browser.get(f"/inbox/{chat.name}/"))
    assert "Line 151." in page and "Line 150." not in page
    assert f"/conversations/{chat.conversation_id}/lines/?before=151" in page

    with CaptureQueriesContext(__import__("django.db").db.connection) as asked:
        older = text_of(browser.get(f"/conversations/{chat.conversation_id}/lines/?before=151"))
    first = text_of(browser.get(f"/conversations/{chat.conversation_id}/lines/?before=51"))

    assert "Line 150." in older and "Line 51." in older and "Line 50." not in older
    assert "?before=51" in older
    assert "This is Ana" in first and "data-older" not in first
    assert len(asked) <= 12
    for wrong in ("x", "-1", "1e9", ""):
        assert browser.get(f"/conversations/{chat.conversation_id}/lines/?before={wrong}").status_code == 404


def test_lines_of_a_conversation_out_of_scope_do_not_exist(browser_of, own_chat, olga):
    assert browser_of(olga).get(f"/conversations/{own_chat.pk}/lines/?before=5").status_code == 404


def test_a_visitor_leaves_the_wait_and_only_their_own(client, open_chat, db):
    chat = open_chat()
    token = open_conversation("bank", user_ref="Zoe")[1]
    assert client.post("/chat/bank/leave/").status_code == 404
    keep = client.session
    keep["chats"] = {"bank": [str(chat.conversation_id), token]}
    keep.save()
    assert client.post("/chat/bank/leave/").status_code == 404

    mine, own = open_conversation("bank", user_ref="Zoe")
    HITLSession.objects.filter(pk=chat.pk).update(conversation=mine)
    keep["chats"] = {"bank": [str(mine.pk), own]}
    keep.save()

    assert client.post("/chat/bank/leave/", headers={"accept": "application/json"}).json() == {"left": True}


def test_replies_are_kept_and_picked(browser_of, olga, sofia):
    browser = browser_of(olga)
    assert browser.post("/inbox/replies/", {"title": "Hello", "text": "Good <b>morning</b>"}).status_code == 302
    wrong = browser.post("/inbox/replies/", {"title": "", "text": "kept"})

    found = browser.get("/inbox/replies/?q=morning", headers={"accept": "application/json"}).json()

    assert found == {"replies": [{"title": "Hello", "text": "Good <b>morning</b>", "shared": False}], "more": False}
    assert wrong.status_code == 422
    assert "kept</textarea>" in text_of(wrong)
    assert "Good &lt;b&gt;morning" in text_of(browser.get("/inbox/replies/"))
    row = SavedReply.objects.get()
    assert browser_of(sofia).get(f"/inbox/replies/{row.pk}/").status_code == 404
    assert browser.post(f"/inbox/replies/{row.pk}/", {"title": "Hi", "text": "Good day"}).status_code == 302
    assert browser.post(f"/inbox/replies/{row.pk}/delete/").status_code == 302
    assert not SavedReply.objects.exists()


def test_a_chat_is_taken_over_from_a_colleague_and_claimed_when_it_is_free(browser_of, open_session, olga, sofia):
    chat = open_session(kind="handoff")
    place, browser = f"/inbox/{chat.name}/", browser_of(sofia)

    free = text_of(browser.get(place))
    service.claim(chat.pk, olga)
    held = text_of(browser.get(place))

    assert f'action="{place}claim/"' in free
    assert f'action="{place}takeover/"' not in free
    assert f'action="{place}takeover/"' in held
    assert f'action="{place}claim/"' not in held


def test_what_the_last_holder_wrote_stands_in_the_box_of_who_takes_the_chat_over(browser_of, open_session, olga, sofia):
    chat = open_session(kind="handoff")
    service.claim(chat.pk, olga)
    service.save_draft(chat.pk, olga, DraftText({"reply": "One mom"}))

    answer = browser_of(sofia).post(f"/inbox/{chat.name}/takeover/", {"reason": "ill"}, headers=HTMX)
    page = text_of(browser_of(sofia).get(f"/inbox/{chat.name}/"))

    for told in (text_of(answer), page):
        assert 'data-handed="One mom" data-words="Written by Olga Petrov, not sent"' in told
    assert ">One mom</textarea>" in page


def test_a_row_shows_what_the_customer_came_for_and_not_the_wish_for_a_person(browser_of, open_chat, olga, noon):
    chat = open_chat("Ana", minutes=0)
    talk = chat.conversation
    talk.messages.all().delete()
    said = (("user", "send 6000 to Lindqvist Marine"), ("assistant", "Go on?"), ("user", "yes"), ("user", "a person!"))
    for seq, (role, text) in enumerate(said, 1):
        talk.messages.create(seq=seq, ordinal=seq, role=role, text=text, at=noon.at)
    talk.messages.create(seq=5, ordinal=5, role="assistant", key="handoff", text="A colleague comes.", at=noon.at)
    Conversation.objects.filter(pk=talk.pk).update(last_message=5)

    page = text_of(browser_of(olga).get("/inbox/"))

    assert "send 6000 to Lindqvist Marine" in page and "Asked for a person" in page
    assert "a person!" not in page


def test_a_row_shows_what_the_customer_wrote_after_the_wish_for_a_person(browser_of, open_chat, olga, noon):
    chat = open_chat("Ana", minutes=0)
    chat.conversation.messages.create(
        seq=3, ordinal=3, role="user", text="It is urgent.", at=noon.at + timedelta(minutes=1)
    )
    Conversation.objects.filter(pk=chat.conversation_id).update(last_message=3)

    assert "It is urgent." in text_of(browser_of(olga).get("/inbox/"))
