"""Say why a message was not understood, from the record of its turn."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _


def nearest_example_text(nearest: Mapping[str, Any]) -> str:
    """Return the nearest example with its score and the scores that it would need; `nearest` as in a record's path."""
    scores = {name: f"{nearest[name]:.2f}" for name in ("score", "ask", "accept")}
    if not nearest["label"]:
        return _("no example is similar (asks from %(ask)s, decides from %(accept)s)") % scores
    text = _("nearest: “%(example)s” of %(label)s with %(score)s (asks from %(ask)s, decides from %(accept)s)")
    return text % {**scores, "example": nearest["example"], "label": nearest["label"]}


def reasons_not_understood(record: Mapping[str, Any]) -> list[str]:
    """Return why the examples did not decide, in the order of the components; [] for a message that was understood."""
    return [nearest_example_text(entry["nearest"]) for entry in record.get("path", ()) if entry.get("nearest")]
