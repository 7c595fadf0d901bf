"""The priorities that pages offer, in words; steps and programs may give any from -100 to 100."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

PRIORITIES: dict[int, str | Promise] = {
    2: gettext_lazy("urgent"),
    1: gettext_lazy("high"),
    0: gettext_lazy("normal"),
    -1: gettext_lazy("low"),
}
