"""The list of bad inputs for YAML: each gets a line, a column, what was found, and what to write instead."""

import random

import pytest

from dialogue.engine.source.parser import SourceRefused, read_source
from tests.support import hostile
from tests.support.engine.small_flows import changed, only_problem, problems


@pytest.mark.parametrize(
    ("text", "place", "said", "advised"),
    [
        ("", (1, 1), "is empty", "Begin with a key"),
        ("# only a remark\n", (1, 1), "is empty", "Begin with a key"),
        ("- a\n- b\n", (1, 1), "is a list or a text", "Begin with a key"),
        ("just a text", (1, 1), "is a list or a text", "Begin with a key"),
        ("a: 1\nb: 2\na: 3", (3, 1), "the key `a` appears twice, on lines 1 and 3", "Delete one"),
        ("x: {a: 1, a: 2}", (1, 11), "the key `a` appears twice, on lines 1 and 1", "Delete one"),
        ("x: 010", (1, 4), "`010` begins with a zero", 'Quote it: "010"'),
        ("x: 01234", (1, 4), "`01234` begins with a zero", 'Quote it: "01234"'),
        ("x: 0x1F", (1, 4), "`0x1F` is not a decimal number", 'quote it: "0x1F"'),
        ("x: " + "9" * 5000, (1, 4), "a number of 5,000 digits", "Quote it"),
        ("x: .nan", (1, 4), "`.nan` is not a usable number", 'Quote it: ".nan"'),
        ("x: -.inf", (1, 4), "`-.inf` is not a usable number", 'Quote it: "-.inf"'),
        ("x: 1e400", (1, 4), "`1e400` is too large", 'Quote it: "1e400"'),
        ("prompt: Hello: world", (1, 14), "a colon inside an unquoted text", 'prompt: "Hello: world"'),
        ("prompt: {{ name }}", (1, 10), "a mapping or a list where a key is expected", 'one pair of braces: "{name}"'),
        ("prompt: {{name}} hi", (1, 10), "a mapping or a list where a key is expected", 'one pair of braces: "{name}"'),
        ("x: @x", (1, 4), "`@`, which cannot start an unquoted text", 'Quote it: "@x"'),
        ("x: `x`", (1, 4), "cannot start an unquoted text", 'Quote it: "`x`"'),
        ("x: %x", (1, 4), "`%`, which cannot start an unquoted text", 'Quote it: "%x"'),
        ("%x: 1", (1, 1), "a line that begins with %", 'Quote the text: "%x: 1"'),
        ("%YAML 1.1\n---\na: 1", (2, 1), "found a directive", "Delete the lines that begin with %"),
        ("\tx: 1", (1, 1), "found a tab", "spaces"),
        ("a:\n\tb: 1", (2, 1), "found a tab", "spaces"),
        ("a: \tb", (1, 4), "found a tab", "spaces"),
        ("x: &a b", (1, 4), "the anchor `&a`", "quote the text"),
        ("x: *a", (1, 4), "the alias `*a`", "quote the text"),
        ("x: *bold* text", (1, 4), "the alias `*bold*`", "quote the text"),
        ("<<: {a: 1}", (1, 1), "the merge key", "Write out the keys"),
        ("x: !!python/object/apply:os.system [ls]", (1, 4), "the tag `!!python/object/apply:os.system`", "Delete it"),
        ("x: !!binary aGk=", (1, 4), "the tag `!!binary`", "Delete it"),
        ("x: !mine a", (1, 4), "the tag `!mine`", "Delete it"),
        ("a: 1\n---\nb: 2", (2, 1), "a second document", "its own file"),
        ("[" * 2000, (1, 31), "nested more than 30 levels deep", "fewer levels"),
        ("{" * 2000, (1, 31), "nested more than 30 levels deep", "fewer levels"),
        ("- " * 100_000, (1, 61), "nested more than 30 levels deep", "fewer levels"),
        ("a: b\0c", (1, 5), r"the hidden character \u0000", "Delete it"),
        ("a: 1\nb: x\ud800", (2, 5), r"the hidden character \ud800", "Delete it"),
        ("a: b\u202ec", (1, 5), r"the hidden character \u202e", "Delete it"),
        ("a: b\u2066c", (1, 5), r"the hidden character \u2066", "Delete it"),
        ("a: b\ufeffc", (1, 5), r"the hidden character \ufeff", "Delete it"),
        ("a: 'x", (1, 6), "the quotes are not closed", "Close the quotes"),
        ('a: "x', (1, 6), "the quotes are not closed", "Close the quotes"),
        ('a: "\\d"', (1, 6), "a backslash that starts no known escape", "single quotes"),
        ('a: "x" y', (1, 8), "`y` after the closing quote", "inside the quotes"),
        ("a: [1, 2", (1, 9), "a bracket or a brace is not closed", "Close every bracket"),
        ("a: {b: 1", (1, 9), "a bracket or a brace is not closed", "Close every bracket"),
        (
            "a: {b: x, c: your order: 12 is sent}",
            (1, 24),
            "a colon inside an unquoted text",
            'c: "your order: 12 is sent"',
        ),
        ("a:\n  b: 1\n c: 2", (3, 2), "does not match the lines before it", "Indent"),
        ("a: 1\nfoo\nb: 2", (2, 1), "not a key with a value", "found `foo`"),
        ("a: - b", (1, 4), "a list that starts on the line of its key", "its own line"),
        (": x", (1, 1), "no key before the colon", "Write a key"),
        ("? [a]\n: b", (1, 3), "where a key is expected", "Quote the text"),
    ],
)
def test_the_author_reads_where_it_is_what_was_found_and_what_to_write(text, place, said, advised):
    with pytest.raises(SourceRefused) as refused:
        read_source(text)

    assert (refused.value.line, refused.value.column) == place
    assert said in refused.value.text
    assert advised in refused.value.advice


@pytest.mark.parametrize("text", hostile.YAML.values(), ids=hostile.YAML)
def test_hostile_text_is_refused(text):
    with pytest.raises(SourceRefused):
        read_source(text)


def test_whatever_the_text_is_only_our_refusal_comes_out():
    seed = 20261123
    chance = random.Random(seed)
    alphabet = "ab:{}[],-?|>&*!%@`'\"#~<=\n\t \r\0\ufeff0159.éあ"
    read = 0
    for _ in range(1_500):
        text = "".join(chance.choices(alphabet, k=chance.randint(0, 40)))
        try:
            read_source(text)
            read += 1
        except SourceRefused:
            pass

    assert read > 0


@pytest.mark.parametrize(
    ("old", "new", "place", "said", "advised"),
    [
        ("prompt: How much?", "propmt: How much?", (6, 25), "unknown key `propmt`", "Did you mean `prompt`?"),
        ("message: Sorry.", "message: Sorry, not done.", (15, 46), "ends at its comma", 'message: "Sorry, not done."'),
        ("message: Sorry.", "message: Sorry, no, not now.", (15, 46), "`no` is read", '"Sorry, no, not now."'),
        ("message: Sorry.", "message: Sorry., really: x", (15, 47), "unknown key `really`", "Choose one of"),
        ("slot: kind}", "slot: kind, force: no}", (11, 51), "the text 'no' where a boolean is expected", "Write false"),
        (
            "slot: kind}",
            "slot: kind, max_attempts: 1:30}",
            (11, 58),
            "the text '1:30' where a whole number",
            "such as 3",
        ),
        ("How much?", "42", (6, 33), "the number 42 where a text is expected", 'Quote it: "42"'),
        ("How much?", "true", (6, 33), "the boolean true where a text is expected", 'Quote it: "true"'),
        ("prompt: How much?", "prompt: {amount}", (6, 33), "a mapping where a text is expected", '"{amount}"'),
        ("prompt: How much?", 'prompt: "{{ amount }}"', (6, 33), "`{{`", "one pair of braces"),
        ("Pay {amount}?", "Pay {amount.__class__}?", (12, 42), "`{amount.__class__}` is not a placeholder", "{slot}"),
        ("Pay {amount}?", "Pay {amount:>999999999}?", (12, 42), "is not a placeholder", "{slot}"),
        ("Pay {amount}?", "Pay {amount[0]}?", (12, 42), "is not a placeholder", "{slot}"),
        ("Pay {amount}?", "Pay {amount!r}?", (12, 42), "is not a placeholder", "{slot}"),
        ("type: collect, slot: kind", "type: colect, slot: kind", (11, 5), "no step type `colect`", "`collect`"),
        ("type: collect, slot: kind", "slot: kind", (11, 5), "`type` is missing", "Write type: say"),
        ("type: collect, slot: kind", "type: collect", (11, 5), "`slot` is missing", "Write slot"),
        ("type: money", "type: maney", (6, 18), "`maney` is not allowed here", "Did you mean `money`?"),
        ("How much?}", "How much?, minimum: no}", (6, 44), "`minimum` has the text 'no'", "such as 0.01"),
        ("How much?}", "How much?, minimum: 5, maximum: 2}", (6, 44), "`minimum` 5 is above `maximum` 2", "Swap"),
        ("How much?}", "How much?, pattern: a}", (6, 44), "`pattern` does not fit the type `money`", "text"),
        ("How much?}", "How much?, currency: euro}", (6, 54), "`euro`", "three capital letters"),
        ("options: [card, cash], ", "", (7, 9), "a choice has no `options`", "Write options"),
        ("[card, cash]", "[1, cash]", (7, 34), "the number 1 where an option is expected", 'Quote it: "1"'),
        ("[card, cash]", "[card, Card]", (7, 24), "`card` stands for both `card` and `Card`", "one of the options"),
        (
            "{type: text, required",
            "{type: text, pattern: '(?=a)', required",
            (8, 34),
            "the pattern cannot be read",
            "RE2",
        ),
        ("{type: text, required", "{type: text, pattern: '(a', required", (8, 34), "the pattern cannot be read", "RE2"),
        ("  receipt:", "  __proto__:", (8, 3), "`__proto__` is not a valid value", "lowercase letters"),
        ("  receipt:", f"  {'a' * 300}:", (8, 3), "is not a valid value", "at most 64"),
        ("  receipt:", "  аmount:", (8, 3), "`аmount` is not a valid value", "lowercase letters"),
        ("  receipt:", "  not:", (8, 3), "`not` is a reserved word of conditions", "another name"),
        ("message: Sorry.", "message: {es: Lo siento.}", (15, 39), "missing in `en`", "Add the text in `en`"),
        ("steps:\n", "steps: {}\nmore:\n", (9, 8), "a mapping where a list is expected", "Write a list"),
    ],
)
def test_a_readable_text_that_makes_no_flow_is_explained_too(old, new, place, said, advised):
    found = problems(changed(old, new))

    first = found[0]
    assert (first.code, first.line, first.column) == ("E-FLOW", *place)
    assert said in first.text
    assert advised in first.advice


@pytest.mark.parametrize("version", ["1.10", "2", '"1"', "true", "1.0"])
def test_only_version_one_is_taken(version):
    problem = only_problem(assistant=f"version: {version}\nassistant: shop\ntitle: Shop\n")

    assert (problem.line, problem.column, problem.path) == (1, 10, "assistant.version")
    assert "Write version: 1" in problem.advice


def test_a_date_that_the_calendar_does_not_have_is_refused_where_a_date_is_meant():
    slots = "slots:\n  verified: {type: boolean, default: false}\n  day: {type: date, default: 2025-02-30}\n"
    problem = only_problem(assistant=f"version: 1\nassistant: shop\ntitle: Shop\n{slots}", pay=SIMPLE)

    assert (problem.line, problem.column) == (6, 30)
    assert "“2025-02-30” is not a date" in problem.text


def test_a_slot_may_be_called_class():
    found = problems(
        changed("  receipt:", "  class:").replace("{receipt}", "{class}").replace(": receipt}", ": class}")
    )

    assert found == []


SIMPLE = "flow: pay\ndescription: Pay.\nsteps: [{step: hello, type: say, message: Hello.}]\n"
