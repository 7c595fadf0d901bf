"""The groups and roles that flows name, compared with the people of this installation: who could decide."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import Group
from django.db.models import Count, Q

from dialogue.engine.language.compiler import Human
from dialogue.engine.language.loader import load_documents, locate_finding
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.source.parser import DocumentPath, Source
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import Problem, nearest_name
from dialogue.models.account import accounts, email_field, open_accounts

DECIDE_PERMISSION = "decide_hitlsession"
"""The permission of those who decide; a group says which requests are theirs."""
_MAY_DECIDE = Q(groups__permissions__codename=DECIDE_PERMISSION) | Q(user_permissions__codename=DECIDE_PERMISSION)


@dataclass(frozen=True)
class GroupMention:
    """A place of a flow that names a group; `gets_mail`: its people are written to."""

    flow: str
    path: DocumentPath
    name: str
    gets_mail: bool = False


@dataclass(frozen=True)
class MemberCounts:
    """How many active people a group has, how many of them may decide, and how many have an e-mail address."""

    active: int
    deciders: int
    reachable: int


def group_warnings(documents: Mapping[str, str]) -> list[Problem]:
    """A warning at each empty group or role of these documents; none while they make no assistant."""
    loaded = load_documents(documents)
    if loaded.assistant is None:
        return []
    files = {str(source.tree.get("flow", "")): file for file, source in loaded.sources.items()}
    warnings: list[Problem] = []
    members: dict[str, MemberCounts | None] = {}
    for flow in loaded.assistant.flows.values():
        file = files[flow.flow]
        for mention in _group_mentions(FlowView(loaded.assistant, flow, frozenset()), loaded.sources[file]):
            if mention.name not in members:
                members[mention.name] = _count_members(mention.name)
            if finding := _membership_finding(mention, members[mention.name]):
                warnings.append(locate_finding(finding, file, loaded.sources[file]))
    return warnings


def _group_mentions(view: FlowView, source: Source) -> Iterator[GroupMention]:
    for path, step in view.steps_with_paths:
        if not isinstance(step, Human):
            continue
        flow = view.flow.flow
        if isinstance(step.group, str):
            key = "role" if (*path, "role") in source.values else "group"
            yield GroupMention(flow, (*path, key), step.group)
        if step.escalate:
            yield GroupMention(flow, (*path, "escalate", "role"), step.escalate.role)
        for index, channel in enumerate(step.channels):
            if channel.role:
                yield GroupMention(flow, (*path, "channels", index), channel.role, gets_mail=True)


def deciders_by_group() -> dict[str, int]:
    """How many people may decide what a group is asked, for every group that has any; one query."""
    deciders = open_accounts().filter(_MAY_DECIDE).values("pk")
    counted = Group.objects.filter(user__in=deciders).annotate(people=Count("user", distinct=True))
    return dict(counted.order_by("name").values_list("name", "people"))


def _count_members(name: str) -> MemberCounts | None:
    """The people of the group; None: there is no such group."""
    group = Group.objects.filter(name=name).first()
    if group is None:
        return None
    people = open_accounts().filter(groups=group)
    return MemberCounts(
        active=people.count(),
        deciders=accounts().filter(_MAY_DECIDE, pk__in=people.values("pk")).distinct().count(),
        reachable=people.exclude(**{email_field(): ""}).count() if email_field() else 0,
    )


def _membership_finding(mention: GroupMention, members: MemberCounts | None) -> Finding | None:
    name = mention.name[:64]
    if members is None:
        text = Phrase("there is no group `{name}`; publishing makes it, with nobody in it", name=name)
        return _warning_finding(mention, "unknown_group", text, _membership_advice(mention))
    if not members.active:
        return _warning_finding(
            mention, "empty_group", Phrase("nobody is in the group `{name}`", name=name), _membership_advice(mention)
        )
    if mention.gets_mail and not members.reachable:
        text = Phrase("nobody in the group `{name}` has an e-mail address", name=name)
        return _warning_finding(mention, "unreachable_group", text, Phrase("Give its people an address under /admin/"))
    if not mention.gets_mail and not members.deciders:
        text = Phrase("nobody in the group `{name}` may decide", name=name)
        return _warning_finding(
            mention, "powerless_group", text, Phrase("Put its people into the group `operators` too")
        )
    return None


def _warning_finding(mention: GroupMention, rule: str, text: str, advice: str) -> Finding:
    return Finding(rule, "warning", mention.flow, mention.path, text, advice)


def _membership_advice(mention: GroupMention) -> str:
    """The group with people in it that was probably meant, or how to get people into this one."""
    populated = Group.objects.filter(user__is_active=True).exclude(name=mention.name).distinct()
    if near := nearest_name(mention.name, populated.values_list("name", flat=True)):
        return Phrase("Did you mean `{match}`?", match=near)
    return Phrase(
        "Put people into it under /admin/, who are in `operators` too; until then only supervisors can decide"
    )
