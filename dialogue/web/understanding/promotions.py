"""Promote NLU programs from the page, with refusals in the reader's language."""

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

TAKE_BACK = "back"
REFUSALS: dict[type[Exception], Promise] = {
    OtherServes: gettext_lazy("It was compared with another program than serves now: evaluate it again first."),
    NotEvaluated: gettext_lazy("It was never evaluated on held-out data."),
    NothingServes: gettext_lazy("The built-in program serves already."),
    ProgramNotFound: gettext_lazy("There is no such program."),
}


class PromotionRefused(Exception):
    """The promotion was refused and nothing changed; the message is for the person who asked."""


def promote_or_take_back(assistant: Assistant, choice: str, by: Account) -> str:
    """Promote the program of this number, or with "back" the one before; returns what was done, in words.

    Raises PromotionRefused.
    """
    try:
        return _take_back(assistant, by) if choice == TAKE_BACK else _promote(assistant, choice, by)
    except WouldWorsen as error:
        refusal = _("It would worsen: %(categories)s. The program before it stays in use.")
        raise PromotionRefused(refusal % {"categories": ", ".join(error.categories)}) from error
    except ProgramRefused as error:
        raise PromotionRefused(_("It cannot be used here: %(why)s.") % {"why": error}) from error
    except tuple(REFUSALS) as error:
        raise PromotionRefused(str(REFUSALS[type(error)])) from error


def _promote(assistant: Assistant, choice: str, by: Account) -> str:
    if not (choice.isascii() and choice.isdigit() and len(choice) < 10):
        raise ProgramNotFound(choice)
    promote_program(assistant, int(choice), by)
    return _("Program %(number)s is used from the next message on.") % {"number": choice}


def _take_back(assistant: Assistant, by: Account) -> str:
    earlier = take_back_program(assistant, by)
    if earlier is None:
        return _("The built-in program serves again.")
    return _("Program %(number)s serves again.") % {"number": earlier.number}
