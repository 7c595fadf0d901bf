"""Text stays text by the way that pages, scripts, mails and exports are made, wherever it is shown.

What a real browser does with 120 texts in these places is in `tests/browser/test_strange_*.py`; the table of what is
stored as text, and where it is shown, is `shown_texts.txt`.
"""

import csv
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core import mail
from django.db import models
from django.template import engines
from django.template.base import FilterExpression, VariableNode
from django.template.defaulttags import AutoEscapeControlNode

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.audit.export import as_csv
from dialogue.desk.maintenance import outbox
from dialogue.models import AnswerLink, AuditEntry, HITLSession
from dialogue.turns import clock
from tests.support.browser.strange_texts import ONE_LINE, TEXTS
from tests.support.web.pages import text_of

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted(path.relative_to(ROOT / "templates").as_posix() for path in (ROOT / "templates").rglob("*.*"))
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
TABLE = Path(__file__).with_name("shown_texts.txt")
EVERY = " ~ ".join(ONE_LINE)

TAKEN_FOR_MARKUP = {"safe", "safeseq", "json_script"}
WRITES_MARKUP = r"innerHTML\s*=|outerHTML\s*=|insertAdjacentHTML|document\.write|setHTML|\beval\(|new Function|srcdoc"


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_variable_of_a_template_is_escaped(name: str):
    nodes = engines["django"].engine.get_template(name).nodelist  # type: ignore[attr-defined]
    used = {function.__name__ for node in nodes.get_nodes_by_type(VariableNode) for function in _filters(node)}

    assert used & TAKEN_FOR_MARKUP <= {"json_script"}  # which escapes for itself
    escapes = [node.setting for node in nodes.get_nodes_by_type(AutoEscapeControlNode)]
    assert escapes == ([False] if name == "dialogue/answer/mail.txt" else [])


def _filters(node: VariableNode) -> Iterator[Any]:
    expression: FilterExpression = node.filter_expression
    return (function for function, *_rest in expression.filters)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_variable_stands_in_text_or_in_quotes_and_never_in_a_script(name: str):
    source = (ROOT / "templates" / name).read_text()
    plain = re.sub(r"\{%.*?%\}|\{#.*?#\}", "", re.sub(r"(?s)\{% comment %\}.*?\{% endcomment %\}", "", source))
    tags = re.findall(r"<[a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", plain)

    assert [tag for tag in tags if "{{" in re.sub(r"\"[^\"]*\"|'[^']*'", "", tag)] == []
    assert [tag for tag in tags if re.search(r"\s(on\w+|style|srcdoc)=", tag)] == []
    assert re.findall(r"(?s)<script[^>]*>[^<]*\{\{", plain) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_writes_markup_nor_takes_a_text_for_more_than_it_is(script: Path):
    source = script.read_text()

    assert re.findall(WRITES_MARKUP, source) == []
    assert ('.replace("%s"' in source) == (script.name == "phrases.js")  # where "$&" in a text stays "$&"


def test_no_python_calls_a_text_safe():
    files = [path for folder in ("dialogue", "soni_admin") for path in (ROOT / folder).rglob("*.py")]
    sources = {path.name: path.read_text() for path in files}

    assert [name for name, source in sources.items() if re.search(r"mark_safe|SafeString\(|SafeText", source)] == []
    assert [name for name, source in sources.items() if re.search(r"format_html(_join)?\(\s*f[\"']", source)] == []


def test_every_stored_text_is_in_the_table_with_where_it_is_shown():
    table = dict(
        re.split(r"\s{2,}", line, maxsplit=1) for line in TABLE.read_text().splitlines() if line[:1] not in "#"
    )

    stored = {
        f"{model.__name__}.{field.name}"
        for model in _models()
        for field in model._meta.concrete_fields
        if _is_text(field)
    }
    assert sorted(table) == sorted(stored)
    tests = {name for place in table.values() for name in re.findall(r"test_\w+", place)}
    assert [name for name in tests if not list((ROOT / "tests").rglob(f"{name}.py"))] == []


def _models() -> Iterator[type[models.Model]]:
    return (model for app in ("dialogue", "auth") for model in apps.get_app_config(app).get_models())


def _is_text(field: Any) -> bool:
    text = isinstance(field, models.CharField | models.TextField | models.JSONField)
    return text and not field.choices and not field.name.endswith("sha256")


@pytest.mark.sqlite  # which takes a longer title than the column's
@pytest.mark.django_db
def test_a_mail_says_all_of_them_as_they_are(link: AnswerLink):
    HITLSession.objects.filter(pk=link.session_id).update(title=EVERY)
    AnswerLink.objects.filter(pk=link.pk).update(name=EVERY)

    assert outbox.deliver_due() == 1

    letter = mail.outbox[0]
    assert letter.subject == EVERY
    assert f"asks for your answer: {EVERY}\n" in str(letter.body)
    assert f"Dear {EVERY}," in str(letter.body)
    assert (letter.content_subtype, letter.alternatives if hasattr(letter, "alternatives") else []) == ("plain", [])


@pytest.mark.django_db
def test_an_export_of_the_record_holds_all_of_them_and_no_formula():
    actors = [*TEXTS, "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"]
    chain.record(CONSOLE, [Act("user.renamed", actor[:150], facts={"name": actor}) for actor in actors], clock.now())

    rows = csv.DictReader(
        StringIO("".join(as_csv(AuditEntry.objects.filter(act="user.renamed").order_by("pk"))), newline="")
    )

    for actor, row in zip(actors, rows, strict=True):
        assert row["actor"] in (actor, f"'{actor}")
        assert json.loads(row["facts"]) == {"name": actor}
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row.values())


class Pictures(HTMLParser):
    """What the pictures of a page are called, and every element that it has."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.named: list[str] = []
        self.elements: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        if tag == "svg" and dict(attrs).get("role") == "img":
            self.named.append(dict(attrs)["aria-label"] or "")


@pytest.mark.sqlite
@pytest.mark.django_db
def test_the_numbers_behind_a_plot_show_all_of_them_as_they_are(session: HITLSession, olga, browser_of):
    HITLSession.objects.filter(pk=session.pk).update(flow=EVERY, step=EVERY, state="submitted", decided_at=clock.now())
    page = text_of(browser_of(olga).get("/figures/"))

    found = Pictures(page)

    assert found.named and all("1 answered" in name or "asked at" in name for name in found.named)
    assert page.count(f"<td>{engines['django'].from_string('{{ text }}').render({'text': EVERY})}</td>") == 2
    assert found.elements.isdisjoint({"iframe", "object", "embed", "style", "marquee", "base", "template"})


@pytest.mark.sqlite
@pytest.mark.django_db
def test_the_admin_shows_names_and_what_was_recorded_as_text(olga, audrey, browser_of):
    User.objects.filter(pk=audrey.user).update(is_staff=True)
    chain.record(CONSOLE, [Act("user.renamed", EVERY, subject=EVERY)], clock.now())

    page = text_of(browser_of(audrey).get("/admin/dialogue/auditentry/"))

    assert engines["django"].from_string("{{ text }}").render({"text": EVERY}) in page
    assert "<iframe" not in page
