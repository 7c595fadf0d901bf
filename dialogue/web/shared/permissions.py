"""Who may do what on the pages: one predicate a page, for `people.needs`."""

from dialogue.desk.access.people import DECIDE, EXPORT, SEE_EVERY, SUPERVISE, TEST, Person

PUBLISH = "publish_assistant"


def is_staff(person: Person) -> bool:
    """People who work with the console; their chats are tests."""
    return person.superuser or bool(person.rights)


def may_chat(person: Person) -> bool:
    """End users and visitors chat; operators and authors try chats out; who only looks or administers does not."""
    return not is_staff(person) or (not person.is_auditor and (person.has(DECIDE) or person.has(TEST)))


def may_see_flows(person: Person) -> bool:
    return person.superuser or person.has("view_flow")


def may_change_flows(person: Person) -> bool:
    """Not auditors: each saved flow is on the record that they check."""
    return not person.is_auditor and (person.superuser or person.has("change_flow"))


def may_propose_examples(person: Person) -> bool:
    """People who talk with customers know what they meant; auditors only look."""
    return person.has(DECIDE) and not person.is_auditor


def may_see_understanding(person: Person) -> bool:
    """Authors and publishers; administrators may look."""
    return person.superuser or person.has("change_flow") or person.has("publish_assistant")


def may_teach(person: Person) -> bool:
    return may_change_flows(person)


def may_promote(person: Person) -> bool:
    """A program that serves is on record like a release."""
    return not person.is_auditor and (person.superuser or person.has("publish_assistant"))


def may_see_status(person: Person) -> bool:
    """Supervisors and administrators look after the service."""
    return person.superuser or person.has(SUPERVISE)


def may_manage_webhooks(person: Person) -> bool:
    """Supervisors and administrators; not auditors: each change is on the record that they check."""
    return not person.is_auditor and (person.superuser or person.has(SUPERVISE))


def may_manage_channels(person: Person) -> bool:
    """As webhooks: supervisors and administrators."""
    return may_manage_webhooks(person)


def may_see_accounts(person: Person) -> bool:
    """Whether to lead to the users; the page itself asks the account, as Django's admin does."""
    return person.sees_accounts


def may_see_tokens(person: Person) -> bool:
    return person.superuser or person.has("view_apitoken") or person.has("change_apitoken")


def may_see_audit(person: Person) -> bool:
    """Everybody with the permission reads their own acts; `sees_every_audit_entry` says who reads all."""
    return person.superuser or person.has("view_auditentry")


def sees_every_audit_entry(person: Person) -> bool:
    return person.superuser or person.has("view_every_auditentry")


def may_export_audit(person: Person) -> bool:
    """Auditors export and verify the record; a superuser does so as an auditor only."""
    return person.has(EXPORT)


def may_read(person: Person) -> bool:
    return person.superuser or person.has("view_conversation") or person.has("test_assistant")


def may_publish(person: Person) -> bool:
    """Not auditors: each release is on the record that they check."""
    return not person.is_auditor and (person.superuser or person.has(PUBLISH))


def may_see_gates(person: Person) -> bool:
    """Whether there is a queue for this person at all."""
    return person.superuser or person.has(DECIDE) or person.has(SEE_EVERY)


def may_command(person: Person) -> bool:
    """Whether the command bar would do anything for this person."""
    return may_see_gates(person) or person.has(TEST)


def may_test(person: Person) -> bool:
    """People who try assistants out; not auditors, because tests are on the record that they check."""
    return not person.is_auditor and (person.superuser or person.has(TEST))
