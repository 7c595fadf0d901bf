"""Value refusals: a sentence for people in English and Spanish, and a rule for programs."""

import re
from collections.abc import Mapping
from decimal import Decimal

from babel.numbers import format_decimal

from dialogue.engine.source.problems import escape_character

_BOUNDS = ("minimum", "maximum")
_LONG_NUMBER = re.compile(r"-?[0-9]{4,40}(\.[0-9]{1,20})?")

_SENTENCES: Mapping[str, tuple[str, str]] = {
    "required": ("A value is needed here.", "Aquí hace falta un valor."),
    "text": ("{shown} is not a text.", "{shown} no es un texto."),
    "characters": (
        "The text contains a character that cannot be stored: {found}.",
        "El texto contiene un carácter que no se puede guardar: {found}.",
    ),
    "too_short": (
        "{shown} is too short. Write at least {min_length} characters.",
        "{shown} es demasiado corto. Escriba al menos {min_length} caracteres.",
    ),
    "too_long": (
        "{shown} is too long. Write at most {max_length} characters.",
        "{shown} es demasiado largo. Escriba como máximo {max_length} caracteres.",
    ),
    "too_few": ("Give at least {min_length} of them.", "Indique al menos {min_length}."),
    "too_many": ("Give at most {max_length} of them.", "Indique como máximo {max_length}."),
    "pattern": (
        "{shown} does not have the expected form.",
        "{shown} no tiene la forma que se espera aquí.",
    ),
    "validator": ("{shown} is not valid.", "{shown} no es válido."),
    "whole_number": (
        "{shown} is not a whole number. Write digits only, such as 9000.",
        "{shown} no es un número entero. Escriba solo cifras, por ejemplo 9000.",
    ),
    "number": (
        "{shown} is not a number. Write digits, such as 12.5.",
        "{shown} no es un número. Escriba cifras, por ejemplo 12.5.",
    ),
    "decimal_point": (
        "{shown} has a comma. Use a point: {instead}.",
        "{shown} lleva una coma. Use un punto: {instead}.",
    ),
    "money": (
        "{shown} is not an amount of money. Write it like 12.50.",
        "{shown} no es una cantidad de dinero. Escríbala así: 12.50.",
    ),
    "two_decimals": (
        "{shown} has more than two decimal places.",
        "{shown} tiene más de dos decimales.",
    ),
    "too_large": ("{shown} is too large a number.", "{shown} es un número demasiado grande."),
    "between": (
        "{shown} is out of range. It must be between {minimum} and {maximum}.",
        "{shown} está fuera de los límites. Debe estar entre {minimum} y {maximum}.",
    ),
    "at_least": ("{shown} is too low. It must be at least {minimum}.", "{shown} es poco. Debe ser al menos {minimum}."),
    "at_most": (
        "{shown} is too high. It must be at most {maximum}.",
        "{shown} es demasiado. Debe ser como máximo {maximum}.",
    ),
    "boolean": ("{shown} is neither yes nor no.", "{shown} no es ni sí ni no."),
    "option": ("{shown} is not one of these: {options}.", "{shown} no es ninguna de estas opciones: {options}."),
    "date": (
        "{shown} is not a date. Write year, month and day, such as 2026-11-23.",
        "{shown} no es una fecha. Escriba año, mes y día, por ejemplo 2026-11-23.",
    ),
    "time": (
        "{shown} is not a time of day. Write hours and minutes, such as 09:30.",
        "{shown} no es una hora. Escriba horas y minutos, por ejemplo 09:30.",
    ),
    "datetime": (
        "{shown} is not a date with a time. Write it like 2026-11-23T09:30.",
        "{shown} no es una fecha con hora. Escríbala así: 2026-11-23T09:30.",
    ),
    "zone_missing": (
        "{shown} has no time zone. Add one, as in 2026-11-23T09:30+01:00.",
        "{shown} no dice la zona horaria. Añádala, como en 2026-11-23T09:30+01:00.",
    ),
    "time_skipped": (
        "{shown} does not exist: the clocks skip it when they go forward.",
        "{shown} no existe: los relojes se adelantan en ese momento.",
    ),
    "time_twice": (
        "{shown} happens twice, because the clocks go back. Add the offset, such as +01:00.",
        "{shown} ocurre dos veces, porque los relojes se atrasan. Añada la diferencia, por ejemplo +01:00.",
    ),
    "file": (
        "A file is needed here. Send it with the button for files.",
        "Aquí hace falta un archivo. Envíelo con el botón de archivos.",
    ),
    "file_kind": (
        "{shown} is not a file of an accepted kind. Send one of these: {kinds}.",
        "{shown} no es un archivo de un tipo aceptado. Envíe uno de estos: {kinds}.",
    ),
    "file_size": (
        "{shown} is too large. A file may have at most {max_size}.",
        "{shown} es demasiado grande. Un archivo puede tener como máximo {max_size}.",
    ),
    "past": ("{shown} is in the past.", "{shown} ya ha pasado."),
    "future": ("{shown} is in the future.", "{shown} está en el futuro."),
    "weekday": (
        "{shown} is on a weekend. Choose a day from Monday to Friday.",
        "{shown} cae en fin de semana. Elija un día de lunes a viernes.",
    ),
    "email": (
        "{shown} is not an e-mail address. Write it like name@example.org.",
        "{shown} no es una dirección de correo. Escríbala así: nombre@example.org.",
    ),
    "phone": (
        "{shown} is not a phone number. Write it like +34 600 123 456.",
        "{shown} no es un número de teléfono. Escríbalo así: +34 600 123 456.",
    ),
    "json": ("{shown} is not valid JSON: {reason}.", "{shown} no es JSON: {reason}."),
    "list": ("{shown} is not a list.", "{shown} no es una lista."),
    "object": ("{shown} is not a set of named values.", "{shown} no es un conjunto de valores con nombre."),
    "unknown_field": ("There is no field {shown} here.", "Aquí no hay ningún campo {shown}."),
}
RULES = frozenset(_SENTENCES)
_MAX_EXCERPT_CHARACTERS = 60


class ValueRefused(ValueError):
    """The slot refuses the value.

    `field` is the slot's name (`name.part` or `name[0]` inside objects and lists), `rule` a word of `RULES`.
    `value_text` is the refused value, safe to display (masked for a sensitive slot); `limits` maps the names in the
    rule's sentence to texts.
    """

    def __init__(self, field: str, rule: str, value_text: str = "", limits: Mapping[str, str] | None = None) -> None:
        self.field = field
        self.rule = rule
        self.value_text = value_text
        self.limits = dict(limits or {})
        super().__init__(self.sentence())

    def sentence(self, language: str = "en") -> str:
        """Return the refusal as a sentence in Spanish ("es", "es-MX") or else in English."""
        english, spanish = _SENTENCES[self.rule]
        in_spanish = language.split("-", maxsplit=1)[0] == "es"
        words, locale = (spanish, "es") if in_spanish else (english, "en")
        limits = {name: _limit_text(limit, locale) for name, limit in self.limits.items() if name in _BOUNDS}
        return words.format_map({"shown": f"“{self.value_text}”", **self.limits, **limits})


def _limit_text(limit: str, locale: str) -> str:
    """A bound with its thousands apart, "10,000" for "10000"; dates and times stay as they are."""
    if not _LONG_NUMBER.fullmatch(limit):
        return limit
    return format_decimal(Decimal(limit), format="#,##0.#", locale=locale, decimal_quantization=False)


def printable_excerpt(value: object) -> str:
    """Return a short excerpt of a value on one line, with invisible characters escaped."""
    text = value if isinstance(value, str) else _text_of(value)
    clipped = text if len(text) <= _MAX_EXCERPT_CHARACTERS else text[: _MAX_EXCERPT_CHARACTERS - 1] + "…"
    return "".join(map(escape_character, clipped))


def _text_of(value: object) -> str:
    try:
        return str(value)
    except ValueError:
        # Python refuses to write integers of over 4,300 digits.
        return "…"
