"""Promoting programs from the page: what was done, or why it was not, in the reader's words."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.library.nlu_programs.programs import (
    NotEvaluated,
    NothingServes,
    OtherServes,
    ProgramNotFound,
    WouldWorsen,
    promote_program,
    take_back_program,
)
from dialogue.models import Assistant
from dialogue.models.account import Account
from dialogue.nlu.llm.programs import ProgramRefused

BACK = "back"
WHY: dict[type[Exception], Promise] = {
    OtherServes: gettext_lazy("It was compared with another program than serves now: evaluate it again first."),
    NotEvaluated: gettext_lazy("It was never evaluated on held-out data."),
    NothingServes: gettext_lazy("The built-in program serves already."),
    ProgramNotFound: gettext_lazy("There is no such program."),
}


class Refused(Exception):
    """Nothing changed; the message is for the person who asked."""


def promoted(assistant: Assistant, wish: str, by: Account) -> str:
    """Let the program of this number serve, or with "back" the one before; what was done. Raises Refused."""
    try:
        return _taken_back(assistant, by) if wish == BACK else _promoted(assistant, wish, by)
    except WouldWorsen as why:
        worse = _("It would worsen: %(categories)s. The program before it serves on.")
        raise Refused(worse % {"categories": ", ".join(why.categories)}) from why
    except ProgramRefused as why:
        raise Refused(_("It may not serve here: %(why)s.") % {"why": why}) from why
    except tuple(WHY) as why:
        raise Refused(str(WHY[type(why)])) from why


def _promoted(assistant: Assistant, wish: str, by: Account) -> str:
    if not (wish.isascii() and wish.isdigit() and len(wish) < 10):
        raise ProgramNotFound(wish)
    promote_program(assistant, int(wish), by)
    return _("Program %(number)s serves from the next message on.") % {"number": wish}


def _taken_back(assistant: Assistant, by: Account) -> str:
    earlier = take_back_program(assistant, by)
    if earlier is None:
        return _("The built-in program serves again.")
    return _("Program %(number)s serves again.") % {"number": earlier.number}
