"""Broken, strange and hostile YAML through the door that authors use: a finding with its place, and nothing else."""

import re

from hypothesis import strategies as st

from campaigns.support.campaign import Campaign, Tally
from campaigns.support.fuzzing import fuzz
from dialogue.engine.language.compiler import check_documents, load_assistant
from tests.support.engine.small_flows import APPROVAL, ASSISTANT, PAY, changed, with_step

_LOOP = """\
  - step: w
    type: while
    condition: amount > 3
    do: [{step: x, type: collect, slot: amount, force: true}]
"""
_GOOD = (PAY, ASSISTANT, changed("  - {step: pay", APPROVAL + "  - {step: pay"), with_step(_LOOP))
_SPLINTERS = [
    "{", "}", "[", "]", ":", "- ", "\n", "\t", "#", "|", ">", "&a", "*a", "!!str ", "!!python/object:os.system",
    "<<: *a", "---\n", "...\n", "%YAML 1.1\n", "'", '"', "\\", "\0", "\ud800", "\u202e", "\ufeff", "\r", "?", "@", "`",
    "{{ x }}", "{x.__class__}", "{x!r:>9}", "~", "null", "no", "1:30", "010", "0x1F", ".nan", "1e400", "2025-02-30",
    "9" * 500, "next: nowhere", "type: goto", "slots.clear()", "__class__", "9**9**9", "(a+)+$", "version: 1.10", "🦜",
]  # fmt: skip
_HEAVY = ["[", "{", "- ", "? ", "a: {", "[[", "&a [*a,", "- - - ", "(", "{a: [", "!!x ", "'", '"']


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    """A good document with up to five places damaged."""
    text = draw(st.sampled_from(_GOOD))
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from([0, 0, 1, 1, 5, 30, 300]))
        inserted = draw(st.one_of(st.just(""), st.sampled_from(_SPLINTERS), st.text(max_size=5), _line_of(text)))
        text = text[:start] + inserted + text[start + length :]
    return text


def _line_of(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from(text.split("\n"))


@st.composite
def _reworded(draw: st.DrawFn) -> str:
    """A good document with some of its words in each other's places, and perhaps a part of a step gone."""
    text = draw(st.sampled_from(_GOOD))
    words = sorted(set(re.findall(r"[a-z_]{2,}", text)))
    for _ in range(draw(st.integers(1, 3))):
        old, new = draw(st.sampled_from(words)), draw(st.sampled_from(words))
        text = re.sub(rf"\b{old}\b", new, text, count=draw(st.integers(1, 2)))
    parts = ["", *re.findall(r", [a-z_]+: [a-z]+(?=[,}])", text)]
    return text.replace(draw(st.sampled_from(parts)), "", 1)


_SOUP = st.lists(st.one_of(st.sampled_from(_SPLINTERS), st.text(max_size=8), st.integers().map(str)), max_size=40)
_ORDINARY = st.one_of(_damaged(), _damaged(), _reworded(), _reworded(), _SOUP.map(" ".join), st.text(max_size=200))


@st.composite
def _hostile(draw: st.DrawFn) -> str:
    """Texts that are made to cost much: deep, long, repeated, multiplied."""
    piece = draw(st.sampled_from(_HEAVY))
    head = draw(st.sampled_from(["", "flow: x\n", "steps: ", "a: &a [x]\n", "responses: "]))
    times = draw(st.sampled_from([2_000, 20_000, 50_000]))
    bomb = "".join(f"b{place}: &b{place} [*b{place - 1}, *b{place - 1}]\n" for place in range(1, 40))
    blank = " " * draw(st.integers(0, 10_000))
    texts = [piece * times, "a: &b0 [x]\n" + bomb, "9" * times, "x" * times + blank + ": 1"]
    return head + draw(st.sampled_from(texts))


def check(text: str) -> str:
    """What comes of a document, as a flow or, when it says no `flow`, as assistant.yaml: each problem is ours, and says
    where it is."""
    return _outcome({"assistant.yaml": ASSISTANT, "pay.yaml": text} if "flow:" in text else {"assistant.yaml": text})


def _outcome(documents: dict[str, str]) -> str:
    problems = check_documents(documents)
    for each in problems:
        lines = documents.get(each.file, "").splitlines() or [""]
        assert each.text and each.line >= 1 and each.column >= 1, each
        assert each.line <= len(lines) + 1, each
        str(each).encode()
    codes = {each.code for each in problems}
    if not codes & {"E-YAML", "E-FLOW"}:
        load_assistant(documents)
    return next((code for code in ("E-YAML", "E-FLOW") if code in codes), "warned" if codes else "accepted")


def _run(size: int, chance: int, tally: Tally) -> None:
    hostile = size // 40
    fuzz(_ORDINARY, check, size - hostile, chance, tally)
    fuzz(_hostile(), check, hostile, chance, tally, ordinary=PAY)


CAMPAIGN = Campaign(
    name="yaml",
    passes_when="every finding is ours and says where; a hostile text at most 40 times an ordinary one's work",
    ci=1_000,
    full=20_000,
    outcomes=("accepted", "E-FLOW", "E-YAML", "hostile"),
    run=_run,
    computes=True,
)
