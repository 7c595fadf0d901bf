import pytest

from dialogue.nlu.slots.extraction import extract_values
from dialogue.nlu.slots.utterance import read_utterance
from tests.support.nlu.situations import assistant_named, nlu_of, situation


@pytest.mark.parametrize(
    ("assistant", "flow", "text", "values"),
    [
        ("library", "reserve_book", "reserve Dune for me", {"title": "Dune"}),
        ("library", "reserve_book", "can you hold Gone with the Wind for me at Central?",
         {"title": "Gone with the Wind", "pickup": "central"}),
        ("library", "reserve_book", "can you keep the waves for me at central",
         {"title": "the waves", "pickup": "central"}),
        ("library", "reserve_book", 'reserve "to the lighthouse" please', {"title": "to the lighthouse"}),
        ("library", "reserve_book", "put Ulysses on hold", {"title": "Ulysses"}),
        ("library", "reserve_book", "put a book on hold for me", {}),
        ("library", "reserve_book", "print or audio", {}),
        ("bank", "transfer_money", "send 50 euros to Bob please", {"beneficiary": "Bob", "amount": "50"}),
        ("bank", "transfer_money", "make a transfer of 20 to DE89 3704 0044 0532 0130 00",
         {"amount": "20", "iban": "DE89370400440532013000"}),
        ("restaurant", "order_food", "two large lasagnes", {"quantity": 2, "size": "large", "dish": "lasagne"}),
    ],
)  # fmt: skip
def test_the_values_of_a_flow_are_found_in_one_message(
    assistant: str, flow: str, text: str, values: dict[str, object]
) -> None:
    program = nlu_of(assistant).assistant_index
    said = read_utterance(text, situation(assistant_named(assistant)), program)

    found = extract_values(program.flows[flow], said)

    assert {value.slot.name: value.value for value in found} == values
