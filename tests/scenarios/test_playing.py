"""Every kind of turn does what it says, and what falls short is named."""

import shutil
from pathlib import Path

import pytest

from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.scenarios.outcome.results import ScenarioResult, Summary
from tests.scenarios.conftest import HEAD, Playing

BALANCE = "{user: my balance, commands: [{start_flow: check_balance}], expect: {messages: [tell], stack: []}}"


def shortfalls(result: ScenarioResult) -> list[tuple[int, str, str, str]]:
    """Turn, what, expected and got of every difference; the turn 0 stands for the end."""
    turns = [(turn.number, each) for turn in result.turns for each in turn.differences]
    found = turns + [(0, each) for each in result.differences]
    return [(number, each.what, each.expected, each.got) for number, each in found]


def test_a_message_of_another_key_falls_short_and_the_next_turn_is_played(played: Playing):
    result = played(
        "  - name: two balances\n    turns:\n"
        "      - {user: hi, commands: [{start_flow: check_balance}], expect: {messages: [say:done]}}\n"
        f"      - {BALANCE}\n"
    )

    assert shortfalls(result) == [(1, "messages", "say:done", "say:tell")]
    assert str(Summary.of([result])) == "0 of 1 scenarios, 1 of 2 turns as expected"


def test_contains_excludes_and_buttons_are_looked_at_in_text_and_labels(played: Playing):
    result = played(
        "  - name: a card\n    turns:\n"
        "      - user: block 4471\n"
        "        commands: [{start_flow: block_card}, {set_slot: {card_last4: 4471}}]\n"
        "        expect:\n"
        "          messages: [{confirm:block_card: {contains: [YES, 9999], excludes: undone, buttons: 3}}]\n"
    )

    found = {what: expected for _, what, expected, _ in shortfalls(result)}
    assert [expected for _, _, expected, _ in shortfalls(result)] == [
        "contains '9999'",
        "does not contain 'undone'",
        "buttons 3",
    ]
    assert set(found) == {"confirm:block_card"}


def test_slots_are_compared_by_their_type(played: Playing):
    result = played(
        "  - name: an amount\n    turns:\n"
        "      - user: send 5\n"
        "        commands: [{start_flow: transfer_money}, {set_slot: {amount: 5.0}}]\n"
        "        expect: {slots: {transfer_money.amount: 5, transfer_money.beneficiary: ~, transfer_money.iban: x}}\n"
    )

    assert shortfalls(result) == [(1, "transfer_money.iban", "'x'", "empty")]


def test_anything_goes_where_the_scenario_says_so(played: Playing):
    result = played(
        "  - name: anything\n    turns:\n"
        "      - user: hi\n        commands: [{start_flow: check_balance}]\n"
        "        expect: {messages: {any: true}, stack: {any: true}}\n"
    )

    assert result.has_passed


def test_the_same_message_again_says_nothing_new(played: Playing):
    result = played(
        f"  - name: twice\n    turns:\n      - {BALANCE}\n"
        "      - {repeat_last: true, expect: {messages: [], stack: [], llm_calls: 0}}\n"
        "      - {repeat_last: true, expect: {messages: [tell]}}\n"
        "    finally: {actions: {read_balance: [{}]}}\n"
    )

    assert shortfalls(result) == []


def test_a_stub_that_raises_leads_the_flow_to_its_error_path(played: Playing):
    result = played(
        "  - name: no payments today\n    turns:\n"
        "      - user: block 4471\n"
        "        commands: [{start_flow: block_card}, {set_slot: {card_last4: '4471'}}]\n"
        "      - {choose: 'Yes', expect: {messages: [done], stack: []}}\n"
        "    finally: {actions: {block_card: [{card_last4: '4471'}], send_money: []}}\n"
    )

    assert shortfalls(result) == []


def test_calls_that_are_listed_must_be_all_calls_in_order(played: Playing):
    result = played(
        f"  - name: twice\n    turns:\n      - {BALANCE}\n      - {BALANCE}\n"
        "    finally: {actions: {read_balance: [{}]}}\n"
    )

    assert shortfalls(result) == [(0, "calls of read_balance", "{}", "{}, {}")]


def test_settings_of_a_scenario_are_over_the_assistants(played: Playing):
    result = played(
        "  - name: ask\n    settings: {resume: ask}\n    turns:\n"
        "      - {user: send money, commands: [{start_flow: transfer_money}], expect: {messages: [ask:beneficiary]}}\n"
        "      - {user: balance, commands: [{start_flow: check_balance}], expect: {messages: [tell, offer_resume]}}\n"
    )

    assert shortfalls(result) == []


def test_a_release_that_is_published_meanwhile_waits_for_the_next_flow(played: Playing):
    result = played(
        "  - name: published\n    turns:\n"
        "      - {user: send money, commands: [{start_flow: transfer_money}], expect: {messages: [ask:beneficiary]}}\n"
        "      - publish:\n"
        "          flow: check_balance\n"
        "          description: Tell the balance.\n"
        "          slots: {balance: {type: money, minimum: 0.01, required: false}}\n"
        "          steps:\n"
        "            - {step: read, type: action, call: read_balance, outputs: {balance: balance}}\n"
        "            - {step: news, type: say, message: 'It is {balance}.'}\n"
        "      - {user: balance, commands: [{start_flow: check_balance}], expect: {messages: [news]}}\n"
        "      - {user: stop, commands: [cancel_flow], expect: {messages: [cancelled:transfer_money], stack: []}}\n"
        "      - {user: balance, commands: [{start_flow: check_balance}], expect: {messages: [news]}}\n"
    ).turns

    assert [turn.number for turn in result if not turn.has_passed] == [3]
    assert [line.key for line in result[2].seen.messages] == ["say:tell", "resumed:transfer_money", "ask:beneficiary"]


def test_an_operator_who_is_refused_gets_the_status_that_the_api_gives(played: Playing):
    result = played(
        "  - name: four eyes\n    turns:\n"
        "      - user: send 6000 to Anna\n"
        "        commands:\n"
        "          - {start_flow: transfer_money}\n"
        "          - {set_slot: {beneficiary: Anna, amount: 6000, iban: DE89370400440532013000}}\n"
        "      - {choose: 'yes', expect: {messages: [waiting:approval], stack: ['transfer_money!human']}}\n"
        "      - {operator: {release: {}, as: Olga, expect_status: 409}}\n"
        "      - {operator: {claim: {step: approval}, as: Olga}}\n"
        "      - {operator: {release: {}, as: Oscar, expect_status: 403}}\n"
        "      - {operator: {submit: {action: approve}, as: Oscar}}\n"
        "      - {operator: {expire: {reason: late}, as: Olga}, expect: {messages: [refused], stack: []}}\n"
        "      - {operator: {cancel: {step: approval, reason: no}, as: Olga, expect_status: 410}}\n"
    )

    assert [(number, what, expected) for number, what, expected, _ in shortfalls(result)] == [(6, "status", "2xx")]


def test_a_restart_loses_nothing(played: Playing):
    result = played(
        "  - name: restart\n    turns:\n"
        "      - {user: send money, commands: [{start_flow: transfer_money}], expect: {messages: [ask:beneficiary]}}\n"
        "      - {restart: true, expect: {messages: [], stack: ['transfer_money?beneficiary']}}\n"
        "      - {user: Anna, commands: [{set_slot: {beneficiary: Anna}}], expect: {messages: [ask:iban]}}\n"
    )

    assert shortfalls(result) == []


def test_repeating_before_anything_was_said_is_named(played: Playing):
    result = played("  - name: nothing\n    turns:\n      - {repeat_last: true}\n")

    assert shortfalls(result) == [(1, "repeat_last", "it is taken", "NothingToRepeat: nothing")]


def test_a_person_takes_the_chat_over_and_hands_it_back(played: Playing):
    result = played(
        "  - name: a person\n    turns:\n"
        "      - {user: send money, commands: [{start_flow: transfer_money}], expect: {messages: [ask:beneficiary]}}\n"
        "      - user: a person please\n"
        "        commands: [handoff]\n"
        "        expect: {messages: [handoff], stack: ['transfer_money!handoff']}\n"
        "      - {operator: {claim: {}, as: Olga}}\n"
        "      - {operator: {say: Who shall get it?, as: Olga}, expect: {messages: []}}\n"
        "      - {user: Anna Berg, expect: {messages: [], llm_calls: 0}}\n"
        "      - operator: {set_slot: {beneficiary: Anna Berg}, as: Olga}\n"
        "        expect: {messages: [], slots: {transfer_money.beneficiary: Anna Berg}}\n"
        "      - operator: {hand_back: {}, as: Olga}\n"
        "        expect: {messages: [ask:iban], stack: ['transfer_money?iban']}\n"
    )

    assert shortfalls(result) == []


def test_an_operator_without_a_session_gets_404(played: Playing):
    result = played("  - name: nothing\n    turns:\n      - {operator: {claim: {}, expect_status: 404}}\n")

    assert shortfalls(result) == []


def test_an_action_without_python_code_and_without_a_stub_is_simulated(
    played: Playing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sketch = tmp_path / "sketch"
    shutil.copytree(ASSISTANTS_FOLDER / "bank", sketch)
    balance = (sketch / "check_balance.yaml").read_text().replace("read_balance", "read_gold")
    (sketch / "check_balance.yaml").write_text(balance)
    contracts = (sketch / "assistant.yaml").read_text()
    contracts = contracts.replace("actions:\n", "actions:\n  read_gold: {outputs: {balance: {type: money}}}\n", 1)
    (sketch / "assistant.yaml").write_text(contracts)
    monkeypatch.setattr("tests.scenarios.conftest.HEAD", HEAD.replace("{folder}", str(sketch)))
    told = '{tell: {contains: "100"}}'

    result = played(f"  - name: gold\n    turns:\n      - {BALANCE.replace('[tell]', f'[{told}]')}\n")

    assert shortfalls(result) == []
