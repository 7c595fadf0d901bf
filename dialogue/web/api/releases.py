"""Releases over HTTP: publishing, the list, and activating an earlier release."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router, Status
from pydantic import BaseModel, ConfigDict, Field

from dialogue.desk.access.people import Person
from dialogue.desk.access.token_scopes import FLOWS_PUBLISH, FLOWS_READ
from dialogue.desk.queue.keyset import keyset_page
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.versions import documents_of
from dialogue.library.releases.groups import group_warnings
from dialogue.library.releases.releases import OwnWork, PublishRequest, ReleaseNotFound, StaleRelease, activate, publish
from dialogue.models import Assistant, Release
from dialogue.models.account import Account
from dialogue.web.api.auth import person_or_401, scoped, visitor_of
from dialogue.web.api.problems import Problem, not_found
from dialogue.web.api.schemas import MAX_NUMBER, REFUSED, Paging, refuse_unknown_parameters
from dialogue.web.releases.page import changes_since
from dialogue.web.shared.permissions import may_publish, may_see_flows

router = Router(tags=["releases"])

JsonObject = dict[str, Any]
ANSWERS: dict[Any, Any] = {200: JsonObject, 201: JsonObject, REFUSED: None}


class Publication(BaseModel):
    """Why, and which release was active when the caller looked; without `base`, whatever is active."""

    model_config = ConfigDict(extra="forbid")

    note: str = Field(default="", max_length=500)
    base: int | None = Field(default=None, ge=0, le=MAX_NUMBER)


NO_NOTE = Publication()


@router.get("/{assistant}/releases", response=ANSWERS)
@scoped(FLOWS_READ)
def list_releases(request: HttpRequest, assistant: str, query: Query[Paging]) -> JsonObject:
    """The releases of an assistant, the newest first."""
    refuse_unknown_parameters(request, Paging)
    person = person_or_401(visitor_of(request))
    if not may_see_flows(person):
        raise not_found()
    home = _assistant_or_404(assistant)
    rows = home.releases.filter(trial=False).select_related("published_by")
    releases_page = keyset_page(rows, ("-number", "-id"), cursor=query.cursor, limit=query.limit)
    return {"releases": [_release_view(row, home) for row in releases_page.rows], "next": releases_page.next}


@router.post("/{assistant}/releases", response=ANSWERS)
@scoped(FLOWS_PUBLISH)
def publish_release(request: HttpRequest, assistant: str, body: Publication = NO_NOTE) -> Status[JsonObject]:
    """Publish the saved texts of all flows. 409 with the difference when somebody was faster, 422 with the problems.

    `warnings` of the answer name groups and roles without members.
    """
    user = _publisher_or_problem(request)
    home = _assistant_or_404(assistant)
    warnings = [str(problem) for problem in group_warnings(documents_of(home))]
    try:
        release = publish(home, user, PublishRequest(body.note, body.base))
    except StaleRelease:
        raise Problem(
            409, "stale_release", _("Somebody published, or saved a flow."), _change_fields(home, body)
        ) from None
    except OwnWork:
        detail = _("You wrote some of this. Here, somebody else has to publish it.")
        raise Problem(403, "own_work", detail) from None
    except FlowProblems as error:
        raise _publishing_problem(error) from None
    return Status(201, {**_release_view(release, _assistant_or_404(assistant)), "warnings": warnings})


@router.post("/{assistant}/releases/{number}/activate", response=ANSWERS)
@scoped(FLOWS_PUBLISH)
def activate_release(request: HttpRequest, assistant: str, number: str) -> JsonObject:
    """Make an earlier release the active one; conversations that run stay on theirs."""
    user = _publisher_or_problem(request)
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        raise not_found()
    try:
        release = activate(_assistant_or_404(assistant), int(number), user)
    except ReleaseNotFound:
        raise not_found() from None
    except FlowProblems as error:
        raise _publishing_problem(error) from None
    return _release_view(release, _assistant_or_404(assistant))


def _publisher_or_problem(request: HttpRequest) -> Account:
    visitor = visitor_of(request)
    person: Person = person_or_401(visitor)
    if not may_see_flows(person):
        raise not_found()
    if not may_publish(person):
        raise Problem(403, "not_allowed", _("You are not allowed to publish."))
    assert isinstance(visitor.user, Account)
    return visitor.user


def _assistant_or_404(name: str) -> Assistant:
    assistant = Assistant.objects.select_related("active_release").filter(name=name).first()
    if assistant is None:
        raise not_found()
    return assistant


def _publishing_problem(error: FlowProblems) -> Problem:
    problems = [problem for problem in error.problems if problem.severity == "error"]
    fields = [
        {
            "name": f"{flow_problem.file}:{flow_problem.line}:{flow_problem.column}",
            "rule": flow_problem.rule or flow_problem.code,
            "message": flow_problem.text,
            "value": "",
        }
        for flow_problem in problems
    ]
    return Problem(422, "invalid_flows", _("Something in it keeps it from being published."), fields)


def _change_fields(home: Assistant, body: Publication) -> list[JsonObject]:
    """The steps that changed since the release that the caller knows, as a problem's fields."""
    known_release = home.releases.filter(number=body.base or 0, trial=False).first()
    return [
        {
            "name": f"{change.flow}.{change.step}".rstrip("."),
            "rule": change.kind,
            "message": "\n".join(change.lines),
            "value": "",
        }
        for change in changes_since(known_release, home)
    ]


def _release_view(release: Release, home: Assistant) -> JsonObject:
    return {
        "number": release.number,
        "active": release.pk == home.active_release_id,
        "note": release.note,
        "sha256": release.sha256,
        "published_by": release.published_by.get_username() if release.published_by else None,
        "published_at": release.published_at.isoformat(),
    }
