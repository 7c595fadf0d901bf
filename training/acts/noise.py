"""How people type: slips, stretched letters, missing accents and apostrophes, capitals, courtesies, emoji."""

import random
import unicodedata

KEYBOARD_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
PREFIXES = {
    "en": (
        "um, uh, well, hmm, oh, hey, hi, so, ok so, listen, look, please, pls, umm, ah, ok, sorry, hello, yo, "
        "dude, man, honestly, I think, hey there, er, ugh, sorry but"
    ),
    "es": (
        "eh, bueno, pues, mmm, ah, oye, mira, hola, por favor, porfa, ok, ay, este, oiga, che, perdón, "
        "disculpa, mire, a ver, uy, ah bueno, oye mira, buenas, sabes qué, entonces, uf, wey"
    ),
}
SUFFIXES = {
    "en": (
        "please, pls, plz, man, bro, mate, dude, sir, dear, ok, then, thx, thanks, thank you, now, lol, "
        "buddy, ma'am, I guess, for me, again please, if possible, kindly, sorry, haha"
    ),
    "es": (
        "por favor, porfa, porfis, xfa, amigo, señor, señorita, wey, güey, tío, che, pues, po, gracias, ok, "
        "hermano, bro, ya, jaja, mijo, parce, joven, mano, si puedes, si es posible"
    ),
}
# An emoji at the end may say something of its own; it is added only where it says nothing against the act.
NEUTRAL_EMOJI = ["🙂", "😊", "😅", "😬", "🥲"]


def add_noise(text: str, language: str, act: str, generator: random.Random) -> str:
    """Return the text as somebody might type it."""
    draw = generator.random
    if act != "other" and act not in {"thanks", "greeting", "farewell", "small_talk"}:
        text = _add_courtesies(text, language, generator)
    if draw() < 0.3:
        text = _slip(text, generator)
    if act != "other" and draw() < 0.12:
        text = _stretch(text, generator)
    if language == "es" and draw() < 0.5:
        text = _without_accents(text)
    if draw() < 0.25:
        text = text.replace("'", "")
    if language == "es" and draw() < 0.1:
        text = text.replace("que", "q").replace("por ", "x ", 1)
    return _finish(text, act, generator)


def _add_courtesies(text: str, language: str, generator: random.Random) -> str:
    if generator.random() < 0.14:
        prefix = generator.choice(PREFIXES[language].split(", "))
        text = f"{prefix}{generator.choice((' ', ', ', ' ', '... '))}{text}"
    if generator.random() < 0.16:
        suffix = generator.choice(SUFFIXES[language].split(", "))
        text = f"{text.rstrip('?!.')}{generator.choice((' ', ', ', ' '))}{suffix}"
    return text


def _slip(text: str, generator: random.Random) -> str:
    """Return the text with one letter left out, doubled, swapped with the next, or replaced by its neighbour."""
    places = [index for index, letter in enumerate(text[:-1]) if letter.isalpha()]
    if len(text) < 4 or not places:
        return text
    place = generator.choice(places)
    letter = text[place]
    replacement = generator.choice(("", letter * 2, text[place + 1] + letter, _neighbour(letter, generator)))
    skipped = 2 if len(replacement) == 2 and replacement != letter * 2 else 1
    return text[:place] + replacement + text[place + skipped :]


def _neighbour(letter: str, generator: random.Random) -> str:
    for row in KEYBOARD_ROWS:
        index = row.find(letter.lower())
        if index >= 0:
            return row[max(0, min(len(row) - 1, index + generator.choice((-1, 1))))]
    return letter


def _stretch(text: str, generator: random.Random) -> str:
    places = [
        index for index, letter in enumerate(text) if letter.isalpha() and not text[index + 1 : index + 2].isalpha()
    ]
    if not places:
        return text
    place = generator.choice(places)
    if generator.random() < 0.3 and place > 0 and text[place - 1].isalpha():
        place -= 1
    return text[:place] + text[place] * generator.randint(2, 6) + text[place + 1 :]


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    plain = "".join(letter for letter in decomposed if not 0x300 <= ord(letter) < 0x370)
    return plain.replace("¿", "").replace("¡", "")


def _finish(text: str, act: str, generator: random.Random) -> str:
    draw = generator.random()
    if draw < 0.35:
        text = text.lower()
    elif draw < 0.5:
        text = text[:1].upper() + text[1:]
    elif draw < 0.55:
        text = text.upper()
    draw = generator.random()
    if draw < 0.14:
        text += "."
    elif draw < 0.22 and not text.endswith("?"):
        text += generator.choice(("!", "!!", "!!!", "...", "..", " !"))
    elif draw < 0.26 and act not in {"other", "repeat"}:
        text += f" {generator.choice(NEUTRAL_EMOJI)}"
    return text
