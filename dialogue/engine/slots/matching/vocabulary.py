"""What a language contributes to choosing among options, and what all languages share. Words are folded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

Phrase = tuple[str, ...]
ASCENDING, DESCENDING = 1, -1


def words(*lines: str) -> frozenset[str]:
    """Return the words of the lines."""
    return frozenset(word for line in lines for word in line.split())


def phrases(*lines: str) -> frozenset[Phrase]:
    """Return the phrases of the lines, which commas separate."""
    return frozenset(tuple(part.split()) for line in lines for part in line.split(",") if part.strip())


def numbered(line: str, start: int = 1) -> dict[str, int]:
    """Number the words of a line; words with a slash between them share a number."""
    entries = enumerate(line.split(), start)
    return {word: number for number, entry in entries for word in entry.split("/")}


@dataclass(frozen=True)
class Adjective:
    """What an adjective of degree compares: "cheap" is the price, from the lowest on."""

    dimension: str
    direction: int


@dataclass(frozen=True)
class Vocabulary:
    """The words of one language.

    `ignored` say nothing about an option. `adjectives` are plain ("cheap"), `degrees` are comparatives and
    superlatives in one word ("cheaper"). `more` and `less` lead to an adjective or to the name of a field.
    """

    ignored: frozenset[str]
    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    last: frozenset[str]
    last_but_one: frozenset[Phrase]
    middle: frozenset[str]
    number_leads: frozenset[str]
    ordinal_endings: frozenset[str]
    adjectives: Mapping[str, Adjective]
    degrees: Mapping[str, Adjective]
    more: frozenset[str]
    less: frozenset[str]
    possessives: frozenset[str]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    days_back: Mapping[Phrase, int]
    this_week: frozenset[Phrase]
    last_week: frozenset[Phrase]
    this_month: frozenset[Phrase]
    last_month: frozenset[Phrase]
    this_year: frozenset[Phrase]
    last_year: frozenset[Phrase]
    date_leads: frozenset[str]
    currencies: frozenset[str]
    amount_leads: frozenset[str]
    at_most: frozenset[Phrase]
    at_least: frozenset[Phrase]
    between: frozenset[str]
    range_words: frozenset[str]
    joining: frozenset[str]
    either: frozenset[Phrase]
    every: frozenset[Phrase]
    exceptions: frozenset[Phrase]
    nothing: frozenset[Phrase]
    negations: frozenset[Phrase]
    other: frozenset[str]
    rest: frozenset[Phrase]
    dual: frozenset[Phrase]
    plus: frozenset[str]
    contrast: frozenset[str]
    refusals: frozenset[Phrase]
    additions: frozenset[Phrase]
    removals: frozenset[Phrase]
    replacements: frozenset[Phrase]
    only: frozenset[str]
    indefinite: frozenset[str]
    plurals: frozenset[str]
    plural_pronouns: frozenset[str]
    determiners: frozenset[str]
    definite: frozenset[str]
    questions: frozenset[Phrase]
    polite_questions: frozenset[Phrase]
    greetings: frozenset[str]
    self_corrections: frozenset[Phrase]
    wishes: frozenset[Phrase]
    swaps: frozenset[Phrase]
    swap_joints: frozenset[str]
    keeps: frozenset[Phrase]
    bare_negations: frozenset[str]
    trailing_negations: frozenset[str]
    abbreviations: frozenset[str]
    asides: frozenset[Phrase]
    around: frozenset[Phrase]
    ending_leads: frozenset[Phrase]
    units: Mapping[str, int]
    scales: Mapping[str, int]
    number_joiners: frozenset[str]
    number_articles: frozenset[str]
    joins_tens: bool
    minutes_before: Mapping[Phrase, int]
    minutes_behind: Mapping[Phrase, int]
    clock_leads: frozenset[Phrase]
    day_parts: Mapping[str, tuple[int, int]]

    @cached_property
    def command_words(self) -> frozenset[str]:
        """The words of every phrase that says what is done with the options: they describe none."""
        kinds: Iterable[frozenset[Phrase]] = (
            self.either, self.every, self.exceptions, self.nothing, self.negations, self.additions, self.removals,
            self.replacements,
        )  # fmt: skip
        return frozenset(word for kind in kinds for phrase in kind for word in phrase) | self.joining | self.only


def graded(table: Mapping[str, tuple[str, int]]) -> tuple[dict[str, Adjective], dict[str, Adjective]]:
    """Return plain adjectives and their comparatives and superlatives from lines such as "cheap cheaper cheapest"."""
    adjectives: dict[str, Adjective] = {}
    degrees: dict[str, Adjective] = {}
    for line, (dimension, direction) in table.items():
        plain, *graded = line.split()
        adjectives |= {word: Adjective(dimension, direction) for word in plain.split("/") if word != "-"}
        degrees |= {word: Adjective(dimension, direction) for word in graded}
    return adjectives, degrees


FIELD_HINTS: Mapping[str, frozenset[str]] = {
    "price": words(
        "price cost total amount fee fare rate rent subtotal charge balance value precio importe coste costo tarifa",
        "cuota monto saldo valor alquiler",
    ),
    "time": words(
        "date day time created placed ordered delivered due departure arrival start begin begins end ends published",
        "year issued purchased updated when fecha dia hora creado pedido entregado salida llegada inicio fin ano",
        "publicado emitido vencimiento compra",
    ),
    "size": words(
        "size capacity storage area volume space screen guests seats persons people rooms quantity talla tamano",
        "capacidad almacenamiento superficie volumen pantalla plazas personas asientos habitaciones cantidad",
        "pulgadas",
    ),
    "weight": words("weight mass peso"),
    "length": words(
        "length duration distance pages height minutes hours largo longitud duracion distancia paginas",
    ),
    "height": words("height floor level altura alto piso planta"),
    "speed": words("speed velocity velocidad mbps"),
    "duration": words(
        "duration time minutes hours days delivery duracion tiempo minutos horas dias entrega plazo",
    ),
    "rating": words(
        "rating score stars grade review reviews valoracion puntuacion estrellas nota opiniones",
    ),
    "distance": words("distance km miles kilometers distancia kilometros metros"),
    "quantity": words(
        "quantity count number stock items pieces cantidad numero unidades existencias piezas",
    ),
    "strength": words(
        "power strength watts brightness lumens potencia fuerza brillo vatios lumenes",
    ),
    "age": words("age edad"),
    "width": words("width ancho anchura"),
    "any": frozenset(),
}
"""Names of fields, by what an adjective compares."""

# The same words in both languages, so that "la azul" finds a blue lamp of an English catalogue.
TRANSLATED_WORDS: tuple[frozenset[str], ...] = tuple(
    words(line)
    for line in (
        "blue azul",
        "red rojo roja",
        "green verde",
        "black negro negra",
        "white blanco blanca",
        "yellow amarillo amarilla",
        "grey gray gris",
        "brown marron cafe",
        "pink rosa rosado rosada",
        "purple morado morada purpura violet violeta lila",
        "orange naranja anaranjado",
        "silver plateado plateada plata",
        "gold golden dorado dorada oro",
        "beige crema cream",
        "turquoise turquesa",
        "navy marino",
        "small pequeno pequena chico chica s",
        "medium mediano mediana m",
        "large grande l",
        "wood wooden madera",
        "leather cuero piel",
        "cotton algodon",
        "metal metalico metalica",
        "plastic plastico",
        "glass vidrio cristal",
        "wool lana",
        "delivered entregado entregada",
        "pending pendiente",
        "cancelled canceled cancelado cancelada anulado anulada",
        "shipped sent enviado enviada",
        "paid pagado pagada",
        "open abierto abierta",
        "closed cerrado cerrada",
        "child kid children kids boy girl son daughter nino nina ninos hijo hija",
        "adult grownup adulto adulta",
        "mum mom mother mums moms mama madre",
        "dad father papa padre",
        "parents folks padres",
        "home house casa",
        "office work job workplace oficina trabajo curro",
        "memory ram memoria",
        "gb gig gigs gigabyte gigabytes gigas",
        "inch inches pulgada pulgadas in",
        "kg kilo kilos kilogram kilogramo kilogramos",
        "phone mobile cellphone smartphone telefono movil celular",
        "laptop notebook portatil",
        "bike bicycle bici bicicleta",
        "tv television televisor tele",
        "doctor dr doctora dra",
        "street st calle",
        "avenue ave avenida avda",
        "sneakers trainers zapatillas deportivas",
        "sofa couch",
        "cheque check talon",
        "monday mon lunes",
        "tuesday tue martes",
        "wednesday wed miercoles",
        "thursday thu jueves",
        "friday fri viernes",
        "saturday sat sabado",
        "sunday sun domingo",
    )
)
COLOURS: frozenset[str] = frozenset().union(*TRANSLATED_WORDS[:16])
"""Words that no option may lack: "the green lamp" is not the blue one."""
SIZE_RANKS: Mapping[str, int] = {
    **numbered("xxs xs/tiny s/small/pequeno/pequena m/medium/mediano/mediana l/large/grande xl xxl xxxl"),
}
