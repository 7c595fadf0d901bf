"""Origins that may show an assistant's chat: which are taken, how they are written, what is on record."""

import pytest
from django.contrib.auth.models import User

from dialogue.desk.access.allowed_origins import MAX_ORIGINS, OriginRefused, allow_origin, normal_origin, remove_origin
from dialogue.models import AllowedOrigin, Assistant, AuditEntry

ORIGINS = {
    "https://www.example.org": "https://www.example.org",
    " HTTPS://WWW.Example.ORG/ ": "https://www.example.org",
    "https://example.org:443": "https://example.org",
    "https://example.org:8443": "https://example.org:8443",
    "http://localhost:5173": "http://localhost:5173",
    "http://127.0.0.1": "http://127.0.0.1",
    "http://[::1]:9000": "http://[::1]:9000",
    "https://bücher.example": "https://xn--bcher-kva.example",
}
NO_ORIGINS = (
    *("", "example.org", "https://", "https://example.org/shop", "https://example.org?x=1", "https://*.example.org"),
    *("ftp://example.org", "javascript:alert(1)", "https://me@example.org", "https://example.org:99999", "null", "*"),
    *(
        "https://exa mple.org",
        "https://example.org; script-src *",
        "https://" + "a" * 400,
        "https://[::1",
        "http://a.b",
    ),
    "https://example.org\n",
)


@pytest.mark.parametrize(("text", "origin"), ORIGINS.items())
def test_an_origin_is_written_as_browsers_send_it(text: str, origin: str):
    assert normal_origin(text) == origin


@pytest.mark.parametrize("text", [text for text in NO_ORIGINS if text.strip() == text])
def test_what_is_not_an_origin_is_refused_with_what_to_write(text: str):
    with pytest.raises(OriginRefused, match="https"):
        normal_origin(text)


@pytest.mark.django_db
def test_an_origin_is_allowed_once_and_removed_and_both_are_on_record():
    bank, ada = Assistant.objects.create(name="bank", title="Bank"), User.objects.create_user("ada")

    row = allow_origin(bank, "https://Shop.example/", ada)
    assert allow_origin(bank, "https://shop.example", ada) == row
    remove_origin(row, ada)
    remove_origin(row, ada)

    assert not AllowedOrigin.objects.exists()
    acts = AuditEntry.objects.filter(act__startswith="origin.").order_by("id")
    assert [(entry.act, entry.facts["origin"]) for entry in acts] == [
        ("origin.allowed", "https://shop.example"),
        ("origin.removed", "https://shop.example"),
    ]


@pytest.mark.django_db
def test_an_assistant_has_a_limited_number_of_origins():
    bank, ada = Assistant.objects.create(name="bank", title="Bank"), User.objects.create_user("ada")
    for number in range(MAX_ORIGINS):
        allow_origin(bank, f"https://shop{number}.example", ada)

    with pytest.raises(OriginRefused, match="Remove one"):
        allow_origin(bank, "https://one-more.example", ada)
