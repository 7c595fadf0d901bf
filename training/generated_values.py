"""Values of many kinds, made from the lists: names, companies, addresses, titles, reasons, complaints, notes."""

from collections.abc import Callable
from random import Random

from training.word_lists import lines, one


def person(random: Random) -> str:
    first, last = one(random, "first_names"), one(random, "last_names")
    forms = (f"{first} {last}",) * 6 + (
        first,
        first,
        f"{one(random, 'titles')} {last}",
        f"{first} {one(random, 'first_names')} {last}",
        f"{first} {random.choice('ABCDEFGHJKLMRST')}. {last}",
        f"{first} {last}-{one(random, 'last_names')}",
        f"{first} van {last}",
        f"{first} and {one(random, 'first_names')} {last}",
        f"{first} {last} and {one(random, 'first_names')} {one(random, 'last_names')}",
    )
    return random.choice(forms)


def first_name(random: Random) -> str:
    return one(random, "first_names")


def last_name(random: Random) -> str:
    return one(random, "last_names")


def company(random: Random) -> str:
    last, other = random.sample(lines("last_names"), 2)
    word, kind = one(random, "company_words"), one(random, "company_kinds")
    forms = (
        f"{word} {kind}{one(random, 'company_endings')}",
        f"{word} {kind}{one(random, 'company_endings')}",
        f"{last} {kind}{one(random, 'company_endings')}",
        f"{last} and Partners",
        f"{person(random)} and Partners",
        f"{last} & {other}",
        f"{last}, {other} and Sons",
        f"{last} and Daughters",
        f"{last} {random.choice(('GmbH', 'Ltd', 'AG', 'Inc', 'Group'))}",
        f"{word}",
        f"The {word} {kind} Company",
        f"{word} {kind} of {one(random, 'cities')}",
    )
    return random.choice(forms)


def city(random: Random) -> str:
    return one(random, "cities")


def address(random: Random) -> str:
    street = f"{one(random, 'streets')} {one(random, 'street_kinds')}"
    number, flat = random.randint(1, 999), random.randint(1, 30)
    town = one(random, "cities")
    forms = (
        f"{number} {street}",
        f"{number} {street}, {town}",
        f"{number} {street} in {town}",
        f"{number} {street}, apartment {flat}",
        f"flat {flat}, {number} {street}, {town}",
        f"{number} {street}, {town} {random.randint(10000, 99999)}",
        f"{street} {number}",
        f"{number}{random.choice('abc')} {street}, {random.randint(1, 9)}th floor",
    )
    return random.choice(forms)


def place(random: Random) -> str:
    return random.choice((one(random, "places"), one(random, "places"), address(random), city(random)))


def title(random: Random) -> str:
    adjective, noun, other = one(random, "adjectives"), *random.sample(lines("nouns"), 2)
    task = f"{one(random, 'verbs')} {one(random, 'objects')}"
    forms = (
        f"The {adjective} {noun}",
        f"{adjective} {noun}",
        f"{noun} {other}",
        f"{noun} of the {other}",
        f"The {noun} and the {other}",
        f"{noun} with {one(random, 'first_names')}",
        f"{noun} for {one(random, 'first_names')} and {one(random, 'first_names')}",
        f"Meeting with {company(random)}",
        f"{one(random, 'subjects')} for beginners",
        f"{one(random, 'first_names')}'s {noun}",
        task,
        task,
        f"{task} and {one(random, 'verbs')} {one(random, 'objects')}",
    )
    chosen = random.choice(forms)
    style = random.random()
    if style < 0.35:
        return " ".join(
            word if word in ("of", "and", "for", "with", "the") else capital(word) for word in capital(chosen).split()
        )
    return capital(chosen) if style < 0.7 else chosen


def act_title(random: Random) -> str:
    return random.choice((str.title, str))(one(random, "act_titles")).replace("'S", "'s").replace("'T", "'t")


def thing(random: Random) -> str:
    name = one(random, "thing_names")
    colour, material, size = one(random, "colours"), one(random, "materials"), one(random, "sizes")
    model = f"{one(random, 'company_words')} {random.choice('ABKMPRSTXZ')}{random.randint(1, 900)}"
    return random.choice(
        (name, name, f"{colour} {name}", f"{size} {material} {name}", f"{size} {name}", f"{model} {name}", model)
    )


def dish(random: Random) -> str:
    return one(random, "dishes")


def diet(random: Random) -> str:
    return random.choice((one(random, "diets"), " and ".join(random.sample(lines("diets"), 2))))


def subject(random: Random) -> str:
    return one(random, "subjects")


def job(random: Random) -> str:
    return one(random, "jobs")


def department(random: Random) -> str:
    return one(random, "departments")


def pet(random: Random) -> str:
    return random.choice((one(random, "pets"), f"{one(random, 'colours')} {one(random, 'pets')}"))


def pet_name(random: Random) -> str:
    return one(random, "pet_names")


def colour(random: Random) -> str:
    return random.choice(
        (one(random, "colours"), f"{random.choice(('dark', 'light', 'bright'))} {one(random, 'colours')}")
    )


def code(random: Random) -> str:
    letters = "".join(random.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=random.randint(1, 3)))
    number = random.randint(10, 999999)
    return random.choice(
        (f"{letters}-{number}", f"{letters}{number}", f"#{letters}{number}", str(number), f"{letters} {number}")
    )


def email(random: Random) -> str:
    name = f"{one(random, 'first_names')}.{one(random, 'last_names')}".lower().replace("'", "")
    return f"{name}@{one(random, 'company_words').lower()}.{random.choice(('com', 'org', 'example', 'net'))}"


def phone(random: Random) -> str:
    parts = (random.randint(100, 999), random.randint(100, 999), random.randint(1000, 9999))
    return random.choice(("{}-{}-{}", "{} {} {}", "0{}{}{}", "+49 {} {}{}")).format(*parts)


def amount(random: Random) -> str:
    number = random.choice((random.randint(1, 20), random.randint(20, 5000)))
    return random.choice(
        (f"{number} euros", f"${number}", f"{number} dollars", f"{number}.50", f"£{number}", str(number))
    )


def when(random: Random) -> str:
    day = random.choice(
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "tomorrow", "today"]
    )
    month = random.choice(["January", "March", "April", "May", "June", "August", "October", "December"])
    return random.choice(
        (
            day,
            f"next {day}",
            f"the {random.randint(2, 30)}th",
            f"{month} {random.randint(1, 30)}",
            f"{day} morning",
            "tomorrow",
        )
    )


def clock(random: Random) -> str:
    hour = random.randint(1, 12)
    return random.choice((f"{hour} pm", f"{hour}:30", f"{hour} am", f"{hour} o'clock", f"half past {hour}", "noon"))


def count(random: Random) -> str:
    return random.choice((str(random.randint(1, 12)), *["two", "three", "four", "five", "six"]))


def fault(random: Random) -> str:
    owner = random.choice(("the", "my", "our", "the new", "your"))
    sentence = f"{owner} {one(random, 'thing_names')} {one(random, 'faults')}"
    moment = one(random, "times")
    return f"{sentence} {moment}".strip()


def complaint(random: Random) -> str:
    """One to four sentences."""
    parts = [fault(random) if random.random() < 0.6 else one(random, "sentences")]
    if random.random() < 0.4:
        parts[0] += random.choice((" ", ", ")) + one(random, "fault_tails")
    parts += [
        random.choice((one(random, "sentences"), capital(fault(random))))
        for _ in range(random.choice((0, 0, 1, 1, 2, 3)))
    ]
    return random.choice((". ", ". ", " and ", ", ")).join(parts)


def reason(random: Random) -> str:
    return random.choice((one(random, "reasons"), one(random, "reasons"), fault(random)))


def note(random: Random) -> str:
    parts = random.sample(lines("notes"), random.choice((1, 1, 1, 2)))
    return random.choice((" and ", ", ", ". ")).join(parts)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


VALUES: dict[str, Callable[[Random], str]] = {
    maker.__name__: maker
    for maker in (
        person,
        first_name,
        last_name,
        company,
        city,
        address,
        place,
        title,
        act_title,
        thing,
        dish,
        diet,
        subject,
        job,
        department,
        pet,
        pet_name,
        colour,
        code,
        email,
        phone,
        amount,
        when,
        clock,
        count,
        complaint,
        reason,
        note,
    )
}
"""By its name, what makes a value."""
