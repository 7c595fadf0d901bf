"""What an action would say names the form's fields: as typed, and afterwards as it was really said."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from dialogue.desk.access.people import read_person
from dialogue.desk.forms.action_preview import STEP_WORDS, consequences_of
from dialogue.desk.maintenance.outbox import deliver_due
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.serializers import session_details
from dialogue.desk.sessions.service import Answer
from dialogue.engine.language.steps import STEP_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import Event, HITLSession, Message
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from tests.support.answer_links import Asker, newest_token
from tests.support.releases import demo, publish
from tests.support.transfers import FORM, unsaved
from tests.support.web.pages import HTMX, text_of

pytestmark = pytest.mark.django_db
REFUSED = "Your transfer of {amount} to {beneficiary} was not approved."
TOLD = "Not now: we allow {approval.daily_limit} a day, checked {approval.checked}, {approval.reason}."
CHECKED = form_schema({**FORM, "checked": Slot.model_validate({"type": "boolean", "required": False})})


@pytest.fixture
def frank(payments: Group) -> HITLSession:
    """A gate whose refusal tells the customer what staff answered."""
    flow = demo("bank")["transfer_money.yaml"].replace(REFUSED, TOLD)
    return opened(flow, "checked: {type: boolean, required: false}", CHECKED, payments)


def opened(flow: str, field: str, schema: dict[str, Any], group: Group) -> HITLSession:
    """A gate of this flow, whose form has one field more."""
    publish({**demo("bank"), "transfer_money.yaml": flow.replace("form:\n", f"form:\n      {field}\n")})
    conversation = open_conversation("bank", user_ref="Ursula")[0]
    session = unsaved(conversation=conversation, group=group, visit=1, schema=schema)
    session.save(force_insert=True)
    return session


def words_of(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", text_of(response)).split())


def test_a_field_that_is_not_filled_in_yet_is_named_and_not_left_out(browser_of, frank, olga):
    page = words_of(browser_of(olga).get(f"/gates/{frank.name}/"))

    assert "“Not now: we allow [daily limit] a day, checked [checked], [reason].”" in page


def test_what_stands_in_the_form_is_said_as_it_will_be(browser_of, frank, olga):
    service.save_draft(frank.pk, olga, DraftText({"daily_limit": "7500", "checked": "no", "reason": "Too much"}))

    page = words_of(browser_of(olga).get(f"/gates/{frank.name}/"))
    refused = words_of(
        browser_of(olga).post(
            f"/gates/{frank.name}/submit/", {"action": "reject", "value.daily_limit": "800"}, headers=HTMX
        )
    )

    assert "we allow 7500 a day, checked no, Too much." in page
    assert "we allow 800 a day, checked [checked], [reason]." in refused


def test_a_program_is_told_the_placeholders_and_afterwards_the_answers(frank, olga):
    person = read_person(olga.user)
    before = next(each for each in session_details(frank, person)["actions"] if each["id"] == "reject")
    service.submit(frank.pk, olga, Answer("reject", {"daily_limit": 7500, "checked": False, "reason": "Too much"}))
    frank.refresh_from_db()
    after = next(each for each in session_details(frank, person)["actions"] if each["id"] == "reject")

    assert "we allow [daily limit] a day" in before["consequence"]
    assert "Not now: we allow 7500 a day, checked no, Too much." in after["consequence"]


def test_the_answers_are_among_the_values_that_were_decided_on(browser_of, frank, olga):
    service.submit(frank.pk, olga, Answer("reject", {"daily_limit": 7500, "checked": False, "reason": "Too much"}))

    page = words_of(browser_of(olga).get(f"/gates/{frank.name}/"))

    values = page.split("Values that were decided on")[1].split("The flow went to step")[0]
    assert "Daily limit7500" in values and "Checkedno" in values and "€8,450.00" in values


def test_afterwards_the_words_are_those_that_the_customer_read(browser_of, frank, olga):
    service.submit(frank.pk, olga, Answer("reject", {"reason": "Too much"}))
    event = Event.objects.get(session=frank)
    row = {"conversation": frank.conversation, "reply_to": event, "role": "assistant", "at": clock.now()}
    Message.objects.create(**row, seq=90, ordinal=0, key="say:refused", text="Not now, said otherwise.")

    page = words_of(browser_of(olga).get(f"/gates/{frank.name}/"))

    assert "The flow went to step “Refused”: tells the customer: “Not now, said otherwise.”" in page


def test_a_sensitive_answer_is_hidden_from_those_who_may_not_see_it(payments, olga):
    secret = form_schema({"code": Slot.model_validate({"type": "text", "sensitive": True})})
    flow = demo("bank")["transfer_money.yaml"].replace(REFUSED, "The code is {approval.code}.")
    session = opened(flow, "code: {type: text, sensitive: true}", secret, payments)
    service.submit(session.pk, olga, Answer("reject", {"code": "4711-0815"}, reason="Too much"))
    session.refresh_from_db()

    assert "4711" not in consequences_of(session, unmasked=False)["reject"].text
    assert "4711-0815" in consequences_of(session, unmasked=True)["reject"].text


def test_text_that_looks_like_a_field_stays_text(frank, olga):
    HITLSession.objects.filter(pk=frank.pk).update(
        shown=[{"name": "amount", "value": "[daily limit] <b>", "shown": "[daily limit] <b>", "sensitive": False}]
    )
    frank.refresh_from_db()

    parts = consequences_of(frank, unmasked=True, typed={"daily_limit": "<i>5</i>"})["reject"].parts

    assert [(part.text, part.field) for part in parts if part.field == "daily_limit"] == [("<i>5</i>", "daily_limit")]


def test_the_mailed_page_names_the_fields_and_shows_what_was_typed(frank: HITLSession, ask: Asker):
    ask(frank)
    deliver_due()
    address = f"/answer/{newest_token()}/"

    page = words_of(Client().get(address))
    sent = {"action": "reject", "value.daily_limit": "800", "version": frank.version}
    refused = words_of(Client().post(address, sent))

    assert "Not now: we allow [daily limit] a day" in page
    assert "we allow 800 a day" in refused


def test_every_type_of_step_is_told_in_words_and_not_by_its_name():
    described = {"action", "say", "collect", "call", "link", "human", "handoff"}

    assert STEP_TYPES.keys() - described == STEP_WORDS.keys()
