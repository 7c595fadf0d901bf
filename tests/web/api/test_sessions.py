"""Sessions over HTTP: what a program is answered, in status, code and words."""

import json
from datetime import timedelta

import pytest

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import HITLSession, Submission
from tests.support.transfers import NOON, Opener, person

from .conftest import Program, ProgramOf

pytestmark = pytest.mark.django_db


@pytest.fixture
def olgas_program(olga: Caller, program_of: ProgramOf) -> Program:
    return program_of(olga)


def test_a_submission_is_201_and_shows_the_decision(session: HITLSession, olga: Caller, program_of: ProgramOf):
    answered = program_of(olga).post(f"/sessions/{session.name}/submit", action="approve", values={"daily_limit": 9000})

    body = answered.json()
    assert answered.status_code == 201
    assert (body["state"], body["version"]) == ("submitted", 2)
    assert (body["decision"]["action"], body["decision"]["values"]) == ("approve", {"daily_limit": 9000})
    assert body["decision"]["by"] == "Olga Petrov"


def test_the_second_operator_is_told_that_the_first_decided(
    noon, session: HITLSession, olga: Caller, oscar: Caller, program_of: ProgramOf
):
    program_of(olga).post(f"/sessions/{session.name}/submit", action="approve")

    answered = program_of(oscar).post(f"/sessions/{session.name}/submit", action="reject", values={"reason": "late"})

    body = answered.json()
    assert (answered.status_code, answered["Content-Type"]) == (409, "application/problem+json")
    assert (body["code"], body["detail"]) == ("already_submitted", "Olga Petrov approved at 12:00")
    assert body["current"] == {
        "state": "submitted",
        "version": 2,
        "decided_by": "Olga Petrov",
        "decided_at": NOON.isoformat(),
    }
    assert body["draft"] == {"values": {"reason": "late"}, "action": "reject"}


def test_the_same_key_and_body_get_the_first_result_and_another_body_is_refused(
    session: HITLSession, olga: Caller, program_of: ProgramOf
):
    program = program_of(olga)
    path = f"/sessions/{session.name}/submit"
    first = program.post(path, action="approve", values={}, idempotency_key="k1")

    again = program.post(path, action="approve", values={}, idempotency_key="k1")
    other = program.post(path, action="reject", values={"reason": "x"}, idempotency_key="k1")
    another_key = program.post(path, action="approve", values={}, idempotency_key="k2")

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["decision"] == first.json()["decision"]
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert (another_key.status_code, another_key.json()["code"]) == (409, "already_submitted")
    assert Submission.objects.filter(accepted=True).count() == 1


def test_an_old_version_is_refused_with_the_new_facts(session: HITLSession, olga: Caller, program_of: ProgramOf):
    program = program_of(olga)
    program.post(f"/sessions/{session.name}/claim", version=1)

    answered = program.post(f"/sessions/{session.name}/submit", action="approve", version=1)

    assert (answered.status_code, answered.json()["code"]) == (409, "stale_version")
    assert answered.json()["current"]["version"] == 2


def test_a_wrong_value_names_field_rule_and_what_was_sent(session: HITLSession, olga: Caller, program_of: ProgramOf):
    path = f"/sessions/{session.name}/submit"

    answered = program_of(olga).post(path, action="approve", values={"daily_limit": "7.5k", "colour": 1})

    fields = {field["name"]: field for field in answered.json()["fields"]}
    session.refresh_from_db()
    assert (answered.status_code, answered.json()["code"]) == (422, "invalid_value")
    assert fields["daily_limit"]["gate"] == f"{session.name}.0"
    assert (fields["daily_limit"]["rule"], fields["daily_limit"]["value"]) == ("whole_number", "7.5k")
    assert "“7.5k” is not a whole number" in fields["daily_limit"]["message"]
    assert fields["colour"]["rule"] == "unknown_field"
    assert (session.state, session.version) == ("open", 1)


def test_rejecting_needs_a_reason(session: HITLSession, olga: Caller, program_of: ProgramOf):
    program = program_of(olga)
    path = f"/sessions/{session.name}/submit"

    without = program.post(path, action="reject", values={})
    given = program.post(path, action="reject", values={"reason": "not plausible"})

    assert (without.status_code, without.json()["code"]) == (422, "reason_required")
    assert (given.status_code, given.json()["decision"]["reason"]) == (201, "not plausible")


def test_an_action_that_is_not_offered_is_422(session: HITLSession, olga: Caller, program_of: ProgramOf):
    answered = program_of(olga).post(f"/sessions/{session.name}/submit", action="aprove")

    assert (answered.status_code, answered.json()["code"]) == (422, "unknown_action")
    assert answered.json()["detail"] == "“aprove” is not an available action. Choose: approve, reject."


def test_one_gate_after_the_other_submits_when_there_is_one_action(
    open_session: Opener, olga: Caller, program_of: ProgramOf
):
    session = open_session(actions=[{"id": "confirm", "label": "Confirm", "style": "default", "reason": False}])
    required = json.loads(json.dumps(session.schema))
    required["properties"]["daily_limit"]["x-slot"]["required"] = True
    required["properties"]["reason"]["x-slot"]["required"] = True
    HITLSession.objects.filter(pk=session.pk).update(schema=required)
    program = program_of(olga)

    second = program.put(f"/sessions/{session.name}/gates/1", value="checked")
    first = program.put(f"/sessions/{session.name}/gates/0", value=0)

    assert (second.status_code, first.status_code) == (200, 201)
    assert first.json()["decision"]["values"] == {"daily_limit": 0, "reason": "checked"}


@pytest.mark.parametrize("value", ["true", "9000.5", '"9000"', "10001", "-1", "1e400", "[]", "{}"])
def test_a_gate_refuses_a_strict_value_that_does_not_fit(
    value, session: HITLSession, olga: Caller, program_of: ProgramOf
):
    answered = program_of(olga).send("PUT", f"/sessions/{session.name}/gates/0", f'{{"value": {value}}}')

    assert answered.status_code == 422
    assert not session.drafts.exists()


def test_a_gate_that_is_not_there_is_404(session: HITLSession, olga: Caller, program_of: ProgramOf):
    answered = program_of(olga).put(f"/sessions/{session.name}/gates/7", value=1)

    assert (answered.status_code, answered.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("name", ["g999999", "g0", "1", "gx", "g1%20OR%201=1", "g" + "9" * 40])
def test_what_does_not_exist_is_404_alike(name, session: HITLSession, olga: Caller, program_of: ProgramOf):
    program = program_of(olga)

    answers = [program.get(f"/sessions/{name}"), program.post(f"/sessions/{name}/claim")]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert {answer["Content-Type"] for answer in answers} == {"application/problem+json"}


def test_a_session_of_another_queue_does_not_exist(session: HITLSession, program_of: ProgramOf):
    nils = Caller(person("nils", "Nils Berg", "operators").pk, "api")
    program = program_of(nils)

    answers = [
        program.get(f"/sessions/{session.name}"),
        program.post(f"/sessions/{session.name}/submit", action="approve"),
    ]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert program.get("/sessions").json()["sessions"] == []


@pytest.mark.parametrize("operation", ["claim", "submit", "takeover", "expire", "cancel", "draft"])
def test_an_auditor_sees_and_never_decides(operation, session: HITLSession, program_of: ProgramOf):
    program = program_of(Caller(person("anna", "Anna Weiss", "auditors").pk, "api"))

    body = {"reason": "because"} if operation in ("takeover", "expire", "cancel") else {}
    answered = program.post(f"/sessions/{session.name}/{operation}", **body)

    assert program.get(f"/sessions/{session.name}").status_code == 200
    assert (answered.status_code, answered.json()["code"]) == (403, "not_allowed")


def test_a_superuser_decides_only_as_a_member_of_the_operators(session: HITLSession, program_of: ProgramOf):
    root = person("root", "Rosa Root", is_superuser=True)
    program = program_of(Caller(root.pk, "api"))

    before = program.post(f"/sessions/{session.name}/submit", action="approve")
    person("root", "Rosa Root", "operators", "payments")
    after = program.post(f"/sessions/{session.name}/submit", action="approve")

    assert (before.status_code, after.status_code) == (403, 201)


def test_whoever_asked_may_not_approve(open_session: Opener, olga: Caller, program_of: ProgramOf):
    session = open_session(four_eyes=True)
    session.conversation.user_id = olga.user
    session.conversation.save()

    answered = program_of(olga).post(f"/sessions/{session.name}/submit", action="approve")

    assert (answered.status_code, answered.json()["code"]) == (403, "four_eyes")


def test_the_list_is_sorted_by_urgency_and_paged(open_session: Opener, olga: Caller, program_of: ProgramOf):
    late, soon, middle = open_session(), open_session(), open_session()
    for minutes, session in ((90, late), (5, soon), (30, middle)):
        at = session.opened_at.replace(microsecond=0)
        HITLSession.objects.filter(pk=session.pk).update(urgent_at=at.replace(year=2027 + minutes))
    program = program_of(olga)

    first = program.get("/sessions?limit=2").json()
    second = program.get(f"/sessions?limit=2&cursor={first['next']}").json()

    names = [row["name"] for row in first["sessions"] + second["sessions"]]
    assert names == [soon.name, middle.name, late.name]
    assert second["next"] is None


@pytest.mark.parametrize(
    "query",
    ["order=password", "order=-version", "colour=red", "state=lost", "cursor=x", "limit=0", "limit=9999",
     "audience=all", "flow=a&flow=b", "due_before=soon", "due_before=0.5", "cursor=WyJhIiwiYiIsImMiXQ"],
)  # fmt: skip
def test_a_filter_or_an_order_that_is_not_offered_is_400(query, session, olga: Caller, program_of: ProgramOf):
    answered = program_of(olga).get(f"/sessions?{query}")

    assert (answered.status_code, answered["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize(
    ("query", "found"),
    [("q=transfer", True), ("q=lobster", False), ("flow=transfer_money", True), ("assignee=me", False),
     ("assignee=none", True), ("state=submitted", False), ("state=open,claimed", True),
     ("due_before=2020-01-01T00:00:00Z", False)],
)  # fmt: skip
def test_filters_find_what_they_name(query, found, session: HITLSession, olga: Caller, program_of: ProgramOf):
    listed = program_of(olga).get(f"/sessions?{query}").json()["sessions"]

    assert bool(listed) is found


def test_due_before_finds_what_is_due_though_it_expires_later(open_session, olga: Caller, program_of: ProgramOf):
    end = NOON + timedelta(days=2)
    due = open_session(due_at=NOON + timedelta(hours=1), expires_at=end, urgent_at=NOON + timedelta(hours=1))
    open_session(due_at=NOON + timedelta(days=1), expires_at=end, urgent_at=NOON + timedelta(days=1))

    listed = program_of(olga).get(f"/sessions?due_before={NOON + timedelta(hours=2):%Y-%m-%dT%H:%M:%SZ}").json()

    assert [row["name"] for row in listed["sessions"]] == [due.name]


def test_the_session_shows_form_values_actions_and_consequences(
    session: HITLSession, olga: Caller, program_of: ProgramOf
):
    card = program_of(olga).get(f"/sessions/{session.name}").json()

    actions = {action["id"]: action for action in card["actions"]}
    assert [field["gate"] for field in card["fields"]] == [f"{session.name}.0", f"{session.name}.1"]
    values = {entry["name"]: entry["shown"] for entry in card["values"]}
    assert values == {"amount": "€8,450.00", "iban": "DE89370400440532013000"}
    assert actions["approve"]["next"] == "send"
    assert actions["approve"]["consequence"].startswith("Approve → send: runs send_money with amount €8,450.00")
    assert "was not approved" in actions["reject"]["consequence"]
    assert card["on_timeout"]["id"] == "reject"
    assert "submit" in card["allowed"] and "cancel" not in card["allowed"]


def test_the_history_tells_who_did_what_and_what_was_refused(
    session: HITLSession, olga: Caller, oscar: Caller, program_of: ProgramOf
):
    service.claim(session.pk, olga)
    program_of(oscar).post(f"/sessions/{session.name}/claim")
    service.submit(session.pk, olga, Answer("reject", {"reason": "not plausible"}))

    history = program_of(olga).get(f"/sessions/{session.name}").json()["history"]

    assert [(line["act"], line["by"], line["refused"]) for line in history] == [
        ("session.claim", "Olga Petrov", False),
        ("session.claim", "Oscar Lindt", True),
        ("session.submit", "Olga Petrov", False),
    ]


def test_extending_moves_the_deadline_and_needs_a_duration(session: HITLSession, sofia: Caller, program_of: ProgramOf):
    program = program_of(sofia)

    extended = program.post(f"/sessions/{session.name}/extend", duration="1h")
    nothing = program.post(f"/sessions/{session.name}/extend")
    wrong = program.post(f"/sessions/{session.name}/extend", duration="soon")

    later = HITLSession.objects.get(pk=session.pk).expires_at
    assert session.expires_at and later
    assert (extended.status_code, later - session.expires_at) == (200, timedelta(hours=1))
    assert (nothing.status_code, wrong.status_code) == (422, 422)


def test_what_needs_a_reason_says_so(session: HITLSession, sofia: Caller, program_of: ProgramOf):
    program = program_of(sofia)

    answers = [program.post(f"/sessions/{session.name}/{each}") for each in ("takeover", "expire", "cancel")]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(422, "reason_required")}


@pytest.mark.parametrize("extra", [{"state": "submitted"}, {"is_superuser": True}, {"decided_by": 1}])
def test_extra_fields_are_refused(extra, session: HITLSession, olga: Caller, program_of: ProgramOf):
    answered = program_of(olga).post(f"/sessions/{session.name}/submit", action="approve", **extra)

    session.refresh_from_db()
    assert (answered.status_code, answered.json()["fields"][0]["name"]) == (422, next(iter(extra)))
    assert session.state == "open"


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        ("action=approve", "application/x-www-form-urlencoded", 415),
        ('{"action": "approve"}', "text/plain", 415),
        ("{", "application/json", 400),
        ("\xff", "application/json", 400),
        ('{"action": "approve", "action": "reject"}', "application/json", 422),
        ('{"action": "approve", "values": {"daily_limit": NaN}}', "application/json", 422),
        ("[" * 100_000, "application/json", 422),
        ("[]", "application/json", 422),
        ("null", "application/json", 422),
        ('{"action": 1}', "application/json", 422),
        ('{"action": "approve", "version": "1"}', "application/json", 422),
        ('{"action": "approve", "values": []}', "application/json", 422),
        ('{"action": "' + "x" * 1_100_000 + '"}', "application/json", 413),
    ],
)
def test_a_body_that_is_no_good_is_a_problem(body, content_type, status, session, olgas_program: Program):
    answered = olgas_program.send("POST", f"/sessions/{session.name}/submit", body, content_type)

    assert (answered.status_code, answered["Content-Type"]) == (status, "application/problem+json")
    assert not Submission.objects.filter(accepted=True).exists()


def test_a_text_that_no_database_stores_is_a_wrong_value(session: HITLSession, olga: Caller, program_of: ProgramOf):
    program = program_of(olga)

    answered = program.post(f"/sessions/{session.name}/submit", action="approve", values={"reason": "a\0b"})
    surrogate = program.send("PUT", f"/sessions/{session.name}/gates/1", '{"value": "\\ud800"}')

    assert (answered.status_code, surrogate.status_code) == (422, 422)


def test_nobody_signed_in_is_401(visitor: Program, session: HITLSession):
    answers = [
        visitor.get("/sessions"),
        visitor.get(f"/sessions/{session.name}"),
        Program("not-a-token").get("/sessions"),
    ]

    assert {answer.status_code for answer in answers} == {401}
    assert {answer["WWW-Authenticate"] for answer in answers} == {"Bearer"}


@pytest.mark.parametrize(
    ("operation", "body"), [("draft", {"values": {"reason": "late"}}), ("note", {"text": "Call."})]
)
def test_drafts_and_notes_take_the_version_too(operation, body, session: HITLSession, olga, program_of: ProgramOf):
    program, path = program_of(olga), f"/sessions/{session.name}/{operation}"

    answers = [program.post(path, **body, version=session.version + seen) for seen in (0, 1)]

    assert [answer.status_code for answer in answers] == [200, 409]
    assert answers[1].json()["code"] == "stale_version"


def test_several_gates_are_answered_with_one_form_and_each_has_its_own_result(
    open_session, olga: Caller, oscar: Caller, program_of: ProgramOf
):
    gates = [open_session() for _ in range(3)]
    program_of(oscar).post(f"/sessions/{gates[1].name}/submit", action="reject", reason="Not this one")
    chosen = [{"session": gate.name, "version": 1} for gate in gates]
    answer = {"action": "approve", "values": {"daily_limit": 7500}, "idempotency_key": "k" * 200}

    first, again = (program_of(olga).post("/sessions/together", sessions=chosen, **answer) for _ in range(2))

    results = first.json()["results"]
    assert [(each["session"], each["status"]) for each in results] == [
        (gate.name, status) for gate, status in zip(gates, (201, 409, 201), strict=True)
    ]
    assert (results[1]["code"], "Oscar Lindt" in results[1]["detail"]) == ("already_submitted", True)
    assert [each["status"] for each in again.json()["results"]] == [200, 409, 200]
    assert HITLSession.objects.get(pk=gates[0].pk).values == {"daily_limit": 7500}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"values": {"daily_limit": "7500"}}, "invalid_value"),
        ({"action": "reject"}, "reason_required"),
        ({"action": "burn"}, "unknown_action"),
        ({"sessions": []}, "invalid_body"),
        ({"sessions": [{"session": "g1 OR 1=1"}]}, "invalid_body"),
        ({"values": {}, "state": "submitted"}, "invalid_body"),
    ],
)
def test_what_is_wrong_with_an_answer_to_several_gates_leaves_all_of_them_open(
    changes, code, open_session, olga: Caller, program_of: ProgramOf
):
    gates = [open_session(), open_session()]
    body = {"sessions": [{"session": gate.name} for gate in gates], "action": "approve"}

    answer = program_of(olga).post("/sessions/together", **body | changes)

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert HITLSession.objects.filter(state="open").count() == 2


def test_gates_with_different_forms_are_not_answered_together_and_unknown_ones_are_named(
    open_session, olga: Caller, program_of: ProgramOf
):
    gates = [open_session(), open_session(step="another")]
    chosen = [{"session": gate.name} for gate in gates]

    differing = program_of(olga).post("/sessions/together", sessions=chosen, action="approve")
    unknown = program_of(olga).post("/sessions/together", sessions=[chosen[0], {"session": "g999"}], action="approve")

    assert (differing.status_code, differing.json()["code"]) == (422, "different_forms")
    assert [(each["status"], each["code"]) for each in unknown.json()["results"]] == [(201, None), (404, "not_found")]


@pytest.mark.parametrize("version", [2**31, 2**64, 10**30])
def test_a_version_that_no_session_can_have_is_refused(version: int, session, olgas_program: Program):
    answered = olgas_program.post(f"/sessions/{session.name}/claim", version=version)

    assert (answered.status_code, answered.json()["fields"][0]["name"]) == (422, "version")


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00Z"])
def test_a_moment_at_the_end_of_the_calendar_is_not_offered(moment: str, olgas_program: Program):
    assert olgas_program.get(f"/sessions?due_before={moment}").status_code == 400
