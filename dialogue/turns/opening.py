"""What a conversation is opened with: values for declared slots, and the claims of the customer's token."""

import json
from collections.abc import Mapping
from typing import Any

from dialogue.engine.language.documents import Assistant as Definition
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.payloads import WrongField, read_payload
from dialogue.models import Assistant, Release
from dialogue.turns import clock
from dialogue.turns.accept import AssistantNotFound, storable_value
from dialogue.turns.compiled_releases import assistant_of

MAX_OPENING_BYTES = 16 * 1024
"""The size of slots and claims together, as JSON."""


class OpeningRefused(ValueError):
    """Values do not fit what the assistant declares; `wrong` says which: `slots.<name>` or `claims.<name>`."""

    def __init__(self, wrong: tuple[WrongField, ...]) -> None:
        super().__init__(", ".join(field.name for field in wrong))
        self.wrong = wrong


class OpeningTooLarge(ValueError):
    """The values are larger than `MAX_OPENING_BYTES`."""


def active_release(assistant: str) -> Release:
    """Return the release that new conversations run. Raises AssistantNotFound."""
    home = Assistant.objects.filter(name=assistant).select_related("active_release").first()
    if home is None or home.active_release is None:
        raise AssistantNotFound(assistant)
    return home.active_release


def read_opening(
    release: Release, slots: Mapping[str, Any], claims: Mapping[str, Any], language: str = ""
) -> dict[str, Any]:
    """Return `{claims, slots}` as a conversation stores them, with checked values; empty without either.

    Slots are accepted for those that declare `source: start`, claims fill those with `source: claim`. Other claims are
    kept for actions. Raises OpeningRefused, OpeningTooLarge.
    """
    if not slots and not claims:
        return {}
    if len(json.dumps([slots, claims], ensure_ascii=False).encode(errors="surrogatepass")) > MAX_OPENING_BYTES:
        raise OpeningTooLarge
    definition = assistant_of(release)
    own = {name: slot for name, slot in definition.slots.items() if slot.source == "start"}
    claimed = {name: slot for name, slot in definition.slots.items() if slot.source == "claim"}
    given = {name: claims[slot.claim_name] for name, slot in claimed.items() if slot.claim_name in claims}
    values, wrong = _read(definition, own, slots, language, "slots")
    claim_values, wrong_claims = _read(definition, claimed, given, language, "claims")
    if wrong or wrong_claims:
        raise OpeningRefused((*wrong, *wrong_claims))
    stored = {name: {"value": value, "source": "start"} for name, value in values.items()}
    stored |= {name: {"value": value, "source": "claim"} for name, value in claim_values.items()}
    return {"claims": storable_value(dict(claims)), "slots": stored}


def _read(
    definition: Definition, slots: Mapping[str, Slot], raw_values: Mapping[str, Any], language: str, part: str
) -> tuple[dict[str, Any], tuple[WrongField, ...]]:
    now, language = clock.now(), language or definition.language
    read = read_payload(
        slots, storable_value(dict(raw_values)), now=now, timezone=definition.timezone, language=language, partial=True
    )
    return read.values, tuple(WrongField(f"{part}.{wrong.name}", wrong.rule, wrong.message) for wrong in read.wrong)
