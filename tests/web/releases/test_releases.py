"""Publishing and going back: what would change is shown, an old tab is noticed, and running conversations stay."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.library.demo.seed import SCENARIOS_FOLDER
from dialogue.library.documents.versions import Edit, keep_draft, save_flow, store_documents
from dialogue.library.releases import migration_apply
from dialogue.library.releases.migration_plan import Move
from dialogue.library.releases.releases import publish
from dialogue.models import Assistant, AuditDetail, AuditEntry, Conversation, HITLSession, Release, ScenarioRun
from dialogue.scenarios.format.stored import replace_document
from dialogue.scenarios.runs import open_run
from dialogue.turns.accept import open_conversation
from dialogue.web.releases import scenario_check
from tests.support.releases import demo
from tests.support.soni_settings import change
from tests.support.transfers import person
from tests.support.web.pages import HTMX, text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

BALANCE = demo("bank")["check_balance.yaml"]
CHANGED = BALANCE.replace("steps:\n", "steps:\n  - {step: hello, type: say, message: One moment.}\n", 1)


@pytest.fixture
def bank(payments: object) -> Assistant:
    release = publish(store_documents(demo("bank")))
    return Assistant.objects.select_related("active_release").get(pk=release.assistant_id)


@pytest.fixture
def author(bank: Assistant, arthur: Caller, browser_of: Browser) -> Client:
    """Arthur, a flow author, in his browser."""
    return browser_of(arthur)


def save(bank: Assistant, text: str, by: User | None = None, base: int = 1) -> None:
    save_flow(bank, Edit("check_balance", text, base), by)


def press(author: Client, note: str = "") -> Any:
    """Publish from the dialog as it is now."""
    preview = author.get("/releases/bank/publish/").context["preview"]
    return author.post("/releases/bank/publish/", {"note": note, "base": preview.base, "seen": preview.digest})


def test_the_dialog_tells_what_changes_and_the_note_has_the_focus(author: Client, bank: Assistant):
    save(bank, CHANGED)

    response = author.get("/releases/bank/publish/")
    changes = [(each.change.step, each.change.kind) for each in response.context["preview"].changes]

    assert changes == [("hello", "new")]
    assert 'name="note"' in text_of(response)
    assert "autofocus" in text_of(response).partition('name="note"')[2].partition(">")[0]


def test_with_nothing_to_publish_there_is_neither_note_nor_main_button(author: Client, bank: Assistant):
    dialog = text_of(author.get("/releases/bank/publish/"))

    assert "Nothing has changed since release 1." in dialog and "Publish release" not in dialog
    assert 'name="note"' not in dialog
    assert "btn main" not in dialog.partition("<dialog")[2].partition("</dialog>")[0]


def test_an_example_that_is_close_to_another_flow_is_named_before_it_is_published(author: Client, bank: Assistant):
    before = text_of(author.get("/releases/bank/publish/"))
    save(bank, CHANGED.replace("examples: [", "examples: [please block my bank card, "))

    dialog = text_of(author.get("/releases/bank/publish/"))

    assert "close to another flow" not in before
    assert "1 example is close to another flow's" in dialog
    assert "check_balance: “please block my bank card” – block_card: “" in dialog


def test_a_flow_with_braces_instead_of_free_text_in_every_example_is_named_before_it_is_published(
    author: Client, bank: Assistant
):
    before = text_of(author.get("/releases/bank/publish/"))
    asking = BALANCE.replace("steps:\n", "steps:\n  - {step: which, type: collect, slot: account}\n")
    asking = asking.replace("slots:\n", "slots:\n  account: {type: text, prompt: Which account?}\n")
    start, _, rest = asking.partition("examples: [")
    save(bank, f'{start}examples: ["what is on {{account}}", "show {{account}}"]{rest.partition("]")[2]}')

    dialog = text_of(author.get("/releases/bank/publish/"))

    assert "braces instead of free text" not in before
    assert "1 flow has braces instead of free text in every example" in dialog
    assert "<small>Check the balance: account</small>" in dialog
    assert "Write about half of its examples with real values." in dialog


def test_a_comment_changes_no_step_and_yet_the_release_is_not_what_the_texts_say(author: Client, bank: Assistant):
    same = text_of(author.get("/releases/bank/publish/"))
    save(bank, BALANCE + "# looked at\n")

    commented = text_of(author.get("/releases/bank/publish/"))

    assert "Nothing has changed since release 1." in same
    assert "Nothing has changed since release 1." not in commented
    assert "No step changes, only the texts around them" in commented


def test_the_whole_difference_is_a_link_away(author: Client, bank: Assistant):
    save(bank, CHANGED)

    dialog = text_of(author.get("/releases/bank/publish/"))
    response = author.get("/releases/bank/changes/")

    assert 'href="/releases/bank/changes/"' in dialog
    assert [(each.flow, each.head) for each in response.context["page"]] == [("check_balance", 2)]
    assert "<ins>  - {step: hello, type: say, message: One moment.}</ins>" in text_of(response)
    assert "/flows/bank/check_balance/compare/?old=live&amp;new=2#graphs" in text_of(response)


def test_without_changes_the_difference_says_since_when_nothing_has_changed(author: Client, bank: Assistant):
    page = text_of(author.get("/releases/bank/changes/"))

    assert "Nothing has changed since release 1" in page and "Back to the releases" in page


def test_publishing_makes_a_release_with_its_note_and_puts_it_on_record(author: Client, bank: Assistant):
    save(bank, CHANGED)

    response = press(author, "Says hello first")

    release = Release.objects.get(number=2)
    bank.refresh_from_db()
    assert response["Location"] == "/releases/bank/?new=2"
    assert (bank.active_release, release.note) == (release, "Says hello first")
    assert AuditEntry.objects.filter(act="release_published").count() == 2


def test_only_the_release_that_is_active_now_is_said_to_be_live(author: Client, bank: Assistant):
    save(bank, CHANGED)
    press(author)

    assert "Release 2 is active" in text_of(author.get("/releases/bank/?new=2&before=1"))
    assert "Undo: back to 1" in text_of(author.get("/releases/bank/?new=2&before=1"))
    overtaken = text_of(author.get("/releases/bank/?new=1&before=1"))
    assert "is active" not in overtaken
    assert "Undo: back" not in overtaken


def test_the_list_offers_to_publish_only_what_has_changed(author: Client, bank: Assistant):
    save(bank, CHANGED)
    assert 'href="/releases/bank/publish/"' in text_of(author.get("/releases/bank/"))
    press(author)

    page = text_of(author.get("/releases/bank/"))
    assert 'href="/releases/bank/publish/"' not in page
    assert "Nothing has changed since the active release." in page


def test_publishing_from_an_old_tab_shows_the_difference_and_keeps_the_note(author: Client, bank: Assistant):
    old = author.get("/releases/bank/publish/").context["preview"]
    save(bank, CHANGED)

    response = author.post("/releases/bank/publish/", {"note": "From yesterday", "base": old.base, "seen": old.digest})

    assert response.status_code == 409
    assert [each.step for each in response.context["stale"]] == ["hello"]
    assert "From yesterday" in text_of(response)
    assert Release.objects.count() == 1


def test_a_warning_keeps_nothing_back_and_an_error_does(author: Client, bank: Assistant):
    save(
        bank,
        BALANCE.replace("next: nowhere", "") + "  - {step: alone, type: say, message: Nobody comes here., next: end}\n",
    )
    warned = author.get("/releases/bank/publish/").context["preview"]
    save(bank, BALANCE.replace("type: say", "type: sya", 1), base=2)
    wrong = author.get("/releases/bank/publish/").context["preview"]

    response = press(author)

    assert (bool(warned.warnings), warned.errors) == (True, [])
    assert wrong.errors
    assert response.status_code == 422
    assert Release.objects.count() == 1


def test_warnings_of_flows_that_did_not_change_are_folded_away(author: Client, bank: Assistant):
    unreached = "  - {step: alone, type: say, message: Nobody comes here., next: end}\n"
    save(bank, BALANCE + unreached)
    publish(bank)
    save_flow(bank, Edit("transfer_money", demo("bank")["transfer_money.yaml"].replace("30m", "45m"), 1), None)

    response = author.get("/releases/bank/publish/")

    preview = response.context["preview"]
    assert "check_balance.yaml" not in {warning.file for warning in preview.warnings}
    assert "check_balance.yaml" in {warning.file for warning in preview.other_warnings}
    assert f"{len(preview.other_warnings)} warning" in text_of(response)


def test_conversations_in_the_middle_of_something_are_counted_at_their_steps(
    author: Client, bank: Assistant, session: HITLSession
):
    Conversation.objects.filter(pk=session.conversation_id).update(stack=[{"flow": "transfer_money"}])
    save_flow(bank, Edit("transfer_money", demo("bank")["transfer_money.yaml"].replace("30m", "45m"), 1), None)

    preview = author.get("/releases/bank/publish/").context["preview"]

    assert preview.open == 1
    assert [(place.step, place.number, place.changes) for place in preview.waiting_steps] == [("approval", 1, True)]
    assert {each.change.step: each.waits for each in preview.changes} == {"approval": 1}


def test_a_draft_that_is_not_saved_is_said_not_to_be_part_of_it(author: Client, bank: Assistant):
    keep_draft(bank, Edit("check_balance", CHANGED), None)

    preview = author.get("/releases/bank/publish/").context["preview"]

    assert preview.drafts == ["Check the balance"]
    assert preview.changes == []


def test_going_back_makes_the_earlier_release_active_and_leaves_conversations_where_they_are(
    author: Client, bank: Assistant
):
    save(bank, CHANGED)
    press(author)
    running, _token = open_conversation("bank")

    response = author.post("/releases/bank/1/activate/")

    bank.refresh_from_db()
    running.refresh_from_db()
    assert response.status_code == 302
    assert bank.active_release is not None
    assert (bank.active_release.number, running.release.number) == (1, 2)
    assert AuditEntry.objects.filter(act="release_activated").exists()


def test_rolling_back_asks_first_and_says_how_many_conversations_are_affected(
    author: Client, bank: Assistant, session: HITLSession
):
    save(bank, CHANGED)
    press(author)
    bank.refresh_from_db()
    Conversation.objects.filter(pk=session.conversation_id).update(
        stack=[{"flow": "transfer_money"}], release=bank.active_release
    )

    response = author.get("/releases/bank/2/activate/")
    preview = response.context["preview"]

    bank.refresh_from_db()
    assert bank.active_release is not None and bank.active_release.number == 3
    assert (preview.open, preview.began) == (1, 1)
    assert [(place.step, place.number) for place in preview.waiting_steps] == [("approval", 1)]
    assert [(change.step, change.kind) for change in preview.changes] == [("hello", "gone")]
    assert "1 open conversation is affected: it stays on release 3 and finishes there." in text_of(response)


def test_the_reason_of_a_roll_back_is_on_record_and_in_the_list(author: Client, bank: Assistant):
    save(bank, CHANGED)
    press(author)

    author.post("/releases/bank/1/activate/", {"base": "2", "note": "Too many questions"})

    detail = AuditDetail.objects.get(entry__act="release_activated")
    page = text_of(author.get("/releases/bank/"))
    assert detail.text["reason"] == "Too many questions"
    assert "Activated again by Arthur" in page and "“Too many questions”" in page
    assert "Go forward to 2…" in page


def test_a_roll_back_from_an_old_tab_changes_nothing_and_keeps_the_reason(author: Client, bank: Assistant):
    save(bank, CHANGED)
    press(author)
    author.post("/releases/bank/1/activate/", {"base": "2"})

    response = author.post("/releases/bank/2/activate/", {"base": "2", "note": "Back again"})

    bank.refresh_from_db()
    assert response.status_code == 409
    assert bank.active_release is not None and bank.active_release.number == 1
    assert "Another release became active after you opened this" in text_of(response)
    assert "Back again" in text_of(response)


def test_the_active_release_cannot_be_activated_again_by_its_dialog(author: Client, bank: Assistant):
    page = text_of(author.get("/releases/bank/1/activate/"))

    assert "Release 1 is the active one already." in page
    assert "disabled" in page.partition("data-send")[2].partition(">")[0]


def test_where_nothing_changed_the_reason_stands_once_and_nothing_can_be_published(author: Client, bank: Assistant):
    page = text_of(author.get("/releases/bank/publish/"))

    response = press(author, "Once more")

    assert "Publish release 2" not in page
    assert page.count("Nothing has changed since release 1.") == 1 and "Note for the history" not in page
    assert (response.status_code, Release.objects.count()) == (409, 1)


def test_in_the_second_tab_it_is_said_who_published_meanwhile(author: Client, bank: Assistant):
    save(bank, CHANGED)
    old = author.get("/releases/bank/publish/").context["preview"]
    press(author, "First tab")

    response = author.post("/releases/bank/publish/", {"note": "Mine", "base": old.base, "seen": old.digest})

    assert response.status_code == 409
    assert "Arthur" in text_of(response) and "published release 2 after you opened this." in text_of(response)


def test_publishing_from_the_editor_leads_back_to_the_flow(author: Client, bank: Assistant):
    save(bank, CHANGED)
    preview = author.get("/releases/bank/publish/?flow=check_balance").context["preview"]
    posted = {"base": preview.base, "seen": preview.digest, "flow": "check_balance"}

    response = author.post("/releases/bank/publish/", posted)

    assert response["Location"] == "/flows/bank/check_balance/?published=2"
    unknown = author.get("/releases/bank/publish/?flow=no_such_flow").context
    assert (unknown["flow_name"], unknown["return_url"]) == ("", "")


def test_an_action_without_python_code_is_named_and_keeps_the_release_back(
    author: Client, bank: Assistant, monkeypatch: pytest.MonkeyPatch
):
    sketch = demo("bank")["assistant.yaml"].replace(
        "actions:\n", "actions:\n  weigh_gold: {outputs: {g: integer}}\n", 1
    )
    save_flow(bank, Edit("assistant", sketch, 1), None)

    monkeypatch.setattr("dialogue.library.documents.document_check.outdated_modules", lambda: ["shop.actions"])
    page = author.get("/releases/bank/publish/")

    assert (page.context["preview"].missing_actions, page.context["preview"].errors) == (["weigh_gold"], [])
    assert "The Python code of 1 action is missing" in text_of(page)
    assert "restart the server" in text_of(page)
    assert 'href="/flows/bank/assistant/#field=/actions/weigh_gold"' in page.content.decode()
    assert press(author).status_code == 422


def test_the_numbers_of_waiting_conversations_sum_up_to_those_that_are_open(
    author: Client, bank: Assistant, session: HITLSession
):
    Conversation.objects.filter(pk=session.conversation_id).update(stack=[{"flow": "transfer_money"}])
    question = HITLSession.objects.get(pk=session.pk)
    question.pk, question.uid, question.step, question.audience = None, uuid4(), "ask_iban", "user"
    question.save(force_insert=True)
    elsewhere, _token = open_conversation("bank")
    Conversation.objects.filter(pk=elsewhere.pk).update(stack=[{"flow": "check_balance"}])

    preview = author.get("/releases/bank/publish/").context["preview"]

    assert preview.open == 2
    assert [(place.step, place.number) for place in preview.waiting_steps] == [("approval", 1)]
    assert preview.other_waiting == 1


def test_scenarios_run_inside_the_dialog_with_the_saved_texts(
    author: Client, bank: Assistant, monkeypatch: pytest.MonkeyPatch
):
    begun: list[dict[str, str]] = []
    monkeypatch.setattr(scenario_check, "start_run", lambda _home, texts, _by: begun.append(dict(texts)))
    replace_document(bank, "bank", (SCENARIOS_FOLDER / "bank.yaml").read_text(encoding="utf-8"))
    keep_draft(bank, Edit("check_balance", "steps: nothing\n"), None)

    dialog = text_of(author.get("/releases/bank/publish/"))
    part = text_of(author.post("/releases/bank/scenarios/", headers=HTMX))

    assert "not run yet with these texts" in dialog and "0 of" not in dialog
    assert 'hx-post="/releases/bank/scenarios/"' in dialog
    assert begun == [demo("bank")]
    assert part.startswith('<div class="checks" id="scenario-check"')


def test_the_progress_of_a_run_is_shown_until_it_has_ended(author: Client, bank: Assistant):
    replace_document(bank, "bank", (SCENARIOS_FOLDER / "bank.yaml").read_text(encoding="utf-8"))
    run = open_run(bank, demo("bank"), None)
    ScenarioRun.objects.filter(pk=run.pk).update(done=1)

    running = author.get("/releases/bank/scenarios/")
    refused = author.post("/releases/bank/scenarios/", headers=HTMX)
    ScenarioRun.objects.filter(pk=run.pk).update(state=ScenarioRun.State.BROKEN)
    ended = author.get("/releases/bank/scenarios/")

    assert "Scenarios: running, 1 of" in text_of(running) and 'hx-trigger="every 1s"' in text_of(running)
    assert (refused.status_code, "Scenarios are running already." in text_of(refused)) == (409, True)
    assert "hx-trigger" not in text_of(ended) and "The last run was interrupted." in text_of(ended)


def test_the_list_says_what_each_release_changed(author: Client, bank: Assistant):
    save(bank, CHANGED)
    press(author)

    page = author.get("/releases/bank/")

    second, first = page.context["rows"]
    assert [(each.flow, each.step, each.kind) for each in second.changes] == [("check_balance", "hello", "new")]
    assert (first.is_first, first.changes) == (True, [])
    assert "Check the balance › Hello" in text_of(page)


def test_the_list_asks_the_database_as_often_for_many_releases_as_for_few(
    author: Client, bank: Assistant, django_assert_max_num_queries: Any
):
    for number in range(2, 9):
        save(bank, BALANCE + f"# {number}\n", base=number - 1)
        press(author)
        author.post("/releases/bank/1/activate/")

    with django_assert_max_num_queries(16):
        author.get("/releases/bank/?new=1&before=3")


def test_there_is_no_going_back_to_what_never_was(author: Client, bank: Assistant):
    assert author.get("/releases/bank/9/activate/").status_code == 404
    assert author.post("/releases/bank/9/activate/").status_code == 404


def test_who_wrote_it_does_not_publish_it_where_that_is_the_rule(
    bank: Assistant, arthur: Any, settings: Any, browser_of: Any
):
    change(settings, SEPARATE_PUBLISHER=True)
    save(bank, CHANGED, User.objects.get(pk=arthur.user))

    own = press(browser_of(arthur), "My own")
    others = press(browser_of(person("berta", "Berta Lund", "flow authors")))

    assert own.status_code == 403
    assert "My own" in text_of(own)
    assert others.status_code == 302


def test_operators_read_releases_and_publish_none(olga: Any, bank: Assistant, browser_of: Any):
    operator = browser_of(olga)

    assert operator.get("/releases/bank/").status_code == 200
    assert operator.get("/releases/bank/publish/").status_code == 404
    assert operator.get("/releases/bank/1/activate/").status_code == 404
    assert operator.post("/releases/bank/1/activate/").status_code == 404


def test_many_conversations_are_moved_page_by_page_until_none_is_left(
    author: Client, bank: Assistant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(migration_apply, "BATCH_SIZE", 2)
    monkeypatch.setattr(
        migration_apply.Migration, "_plan_move", lambda *_: Move({}, refusals=["its gate is not decided"])
    )
    save(bank, CHANGED)
    press(author)
    for _ in range(3):
        open_conversation("bank", release=Release.objects.get(number=1))
    Conversation.objects.update(stack=[{"flow": "check_balance", "awaiting": "check_balance"}])
    chosen = {"old": "1", "new": "2", "steps": ""}

    looked = author.get("/releases/bank/move/", chosen)
    some = author.post("/releases/bank/move/", chosen)
    going_on = some.context["batch"].last
    counts = some.context["counts"]
    rest = author.post("/releases/bank/move/", {**chosen, "after": going_on, **counts})

    assert (looked.context["left"], len(looked.context["batch"].reports)) == (3, 2)
    assert "data-go-on" in text_of(some) and "2 of 3" in text_of(some)
    assert "data-go-on" not in text_of(rest)
    assert rest.context["counts"] == {"moved": 0, "stayed": 3, "tried": 3, "all": 3}
