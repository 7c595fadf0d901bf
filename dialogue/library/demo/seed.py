"""The demo as a new database gets it: two published assistants, seven people, and the rows their actions work on."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher
from django.contrib.auth.models import Group
from django.db import transaction

from dialogue.library.documents.folders import load_folder
from dialogue.library.documents.versions import store_documents
from dialogue.library.knowledge.documents import DOCUMENTS_FOLDER, load_documents
from dialogue.library.releases.releases import publish
from dialogue.models import DemoBook, DemoLoan, DemoPayee, Preference
from dialogue.models.account import account_named, new_account, username_for
from dialogue.turns import clock

ASSISTANTS_FOLDER = Path(__file__).parent / "assistants"
SCENARIOS_FOLDER = Path(__file__).parent / "scenarios"
"""One document an assistant, of its name."""

PAYEES = {
    "Anna Berg": "DE89370400440532013000",
    "Harbour Chandlers": "GB82WEST12345698765432",
    "Pieter de Wit": "NL91ABNA0417164300",
}
BOOKS = ("Middlemarch", "The Waves", "Persuasion", "Moby-Dick", "The Age of Innocence", "Dubliners")
LOANS = {
    "L1234": ("Persuasion", 4, False),
    "L2001": ("Dubliners", 9, False),
    "L4040": ("Moby-Dick", 2, True),
}
"""Number → title, days until it is due, whether somebody else waits for it."""


PASSWORD_HASH_ROUNDS = 20_000
"""Of a demo password's hash. It has 72 random bits, too many to guess, and six hashes of a million rounds would make
the first start wait. The first sign-in stores one with all rounds, as Django does whenever their number grows."""


@dataclass(frozen=True)
class Person:
    """Somebody of the demo and what they are there for."""

    username: str
    first_name: str
    role: str
    groups: tuple[str, ...] = ()
    is_administrator: bool = False


@dataclass(frozen=True)
class Newcomer:
    """A person who was just made; the password is kept nowhere else."""

    person: Person
    username: str
    password: str


PEOPLE = (
    Person("ursula", "Ursula", "customer"),
    Person("olga", "Olga", "operator", ("operators", "payments")),
    Person("oscar", "Oscar", "operator", ("operators", "payments")),
    Person("sofia", "Sofia", "supervisor", ("supervisors",)),
    Person("arthur", "Arthur", "flow author", ("flow authors",)),
    Person("audrey", "Audrey", "auditor", ("auditors",)),
    Person("ada", "Ada", "administrator", is_administrator=True),
)


@transaction.atomic
def seed_demo() -> list[Newcomer]:
    """Load and publish the demo assistants, and make the rows and the people that are not there yet.

    Returns the new people with their passwords, which are random and stored as hashes only.
    """
    for folder in sorted(ASSISTANTS_FOLDER.iterdir()):
        home = store_documents(load_folder(folder), note="The demo, as installed")
        publish(home, intent="The demo, as installed")
        load_documents(home, folder / DOCUMENTS_FOLDER)
    _seed_rows()
    return [newcomer for person in PEOPLE if (newcomer := _create_person(person))]


def _seed_rows() -> None:
    for name, iban in PAYEES.items():
        DemoPayee.objects.get_or_create(name=name, iban=iban)
    for title in BOOKS:
        DemoBook.objects.get_or_create(title=title)
    today = clock.now().date()
    for number, (title, days, reserved) in LOANS.items():
        details = {"title": title, "due": today + timedelta(days=days), "reserved": reserved}
        DemoLoan.objects.get_or_create(number=number, defaults=details)


def _create_person(person: Person) -> Newcomer | None:
    username = username_for(person.username)
    if account_named(username) is not None:
        return None
    password = secrets.token_urlsafe(9)
    user = new_account(username, real_name=person.first_name)
    user.password, user.is_superuser = _hash_password(password), person.is_administrator
    user.is_staff = bool(person.groups) or person.is_administrator
    user.save()
    Preference.objects.create(user=user, shows_first_steps=True)
    user.groups.set([Group.objects.get_or_create(name=name)[0] for name in person.groups])
    return Newcomer(person, username, password)


def _hash_password(password: str) -> str:
    hasher = get_hasher()
    rounds = {"iterations": PASSWORD_HASH_ROUNDS} if isinstance(hasher, PBKDF2PasswordHasher) else {}
    return str(hasher.encode(password, hasher.salt(), **rounds))
