"""English: words with which people choose among options."""

from dialogue.engine.slots.matching.vocabulary import (
    ASCENDING,
    DESCENDING,
    Vocabulary,
    graded,
    numbered,
    phrases,
    words,
)

ADJECTIVES, DEGREES = graded(
    {
        "cheap/inexpensive/affordable cheaper cheapest": ("price", ASCENDING),
        "expensive/pricey/costly/dear/pricy pricier priciest dearer dearest costlier costliest": ("price", DESCENDING),
        "new/recent/latest newer newest later latest": ("time", DESCENDING),
        "old/early/oldest older oldest earlier earliest soonest sooner": ("time", ASCENDING),
        "late later latest": ("time", DESCENDING),
        "big/large/roomy bigger biggest larger largest roomier": ("size", DESCENDING),
        "small/little/tiny smaller smallest tinier tiniest littlest": ("size", ASCENDING),
        "heavy heavier heaviest": ("weight", DESCENDING),
        "light/lightweight lighter lightest": ("weight", ASCENDING),
        "long longer longest": ("length", DESCENDING),
        "short shorter shortest": ("length", ASCENDING),
        "tall taller tallest": ("height", DESCENDING),
        "fast/quick faster fastest quicker quickest": ("speed", DESCENDING),
        "slow slower slowest": ("speed", ASCENDING),
        "good better best": ("rating", DESCENDING),
        "bad worse worst": ("rating", ASCENDING),
        "near/close nearer nearest closer closest": ("distance", ASCENDING),
        "far farther farthest further furthest": ("distance", DESCENDING),
        "wide wider widest": ("width", DESCENDING),
        "narrow narrower narrowest": ("width", ASCENDING),
        "strong/powerful/bright stronger strongest brighter brightest": ("strength", DESCENDING),
        "weak weaker weakest dimmer dimmest": ("strength", ASCENDING),
        "young younger youngest": ("age", ASCENDING),
        "high higher highest": ("any", DESCENDING),
        "low lower lowest": ("any", ASCENDING),
        "- greatest greater": ("any", DESCENDING),
        "- fewest fewer": ("any", ASCENDING),
    }
)
ENGLISH = Vocabulary(
    ignored=words(
        "exactly correct right absolutely indeed agreed alright already",
        "numbers pair pairs flight flights anyway also please",
        "a an the this that these those some my your his her its our their mine me you him us them i we he she it",
        "they to of in on at by for from with about into as than if so then just be am is are was were been being do",
        "does did done have has had having will would shall should can could may might must im ive id ill youre",
        "thats there here what which who when where why how please pls thanks thank yes yeah yep ok okay sure hello",
        "hi hey oh um uh well hmm like want need get got back arrived comes came take give let lets make go going",
        "pick choose choosing select chose prefer think guess believe mean meant say said one ones thing things",
        "option options choice choices number item items order orders product products entry entries row line result",
        "article articles code called named kind type sort actually maybe perhaps probably really right now again",
        "sorry wait no nope correction change switch too up down rather instead love liked looking look see show",
        "costs cost costing priced worth dated placed made bought ordered purchased whats whole entire both but very",
        "much bit good great fine perfect using use also todays dont doesnt anymore longer rest list listed above",
        "below only still since until till between over under other another same different any each every such own",
        "gonna wanna lemme gimme send bring put through out off onto per via hers ours yours u ur",
    ),
    numbers=numbered(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty"
    ),
    ordinals=numbered(
        "first/1st/former/top second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    ),
    last=words("last final bottom latter"),
    last_but_one=phrases("last but one, second to last, second last, next to last, penultimate"),
    middle=words("middle"),
    number_leads=words("number numbers nos items options no nr option choice item line row position entry num"),
    ordinal_endings=words("st nd rd th"),
    adjectives=ADJECTIVES,
    degrees=DEGREES,
    more=words("more most highest greatest biggest largest best maximum"),
    possessives=words("my our"),
    less=words("less least lowest fewest fewer smallest worst minimum"),
    months=numbered(
        "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct "
        "november/nov december/dec"
    ),
    weekdays=numbered(
        "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thurs friday/fri saturday/sat sunday/sun", start=0
    ),
    days_back={("today",): 0, ("todays",): 0, ("yesterday",): 1, ("yesterdays",): 1, ("tomorrow",): -1},
    this_week=phrases("this week, this weeks"),
    last_week=phrases("last week, last weeks, past week"),
    this_month=phrases("this month, this months"),
    last_month=phrases("last month, last months, past month"),
    this_year=phrases("this year, this years"),
    last_year=phrases("last year, last years"),
    date_leads=words("from of on in since dated"),
    currencies=words(
        "euro euros eur dollar dollars usd buck bucks pound pounds gbp quid peso pesos cent cents",
    ),
    amount_leads=words("for at costs cost costing priced"),
    at_most=phrases(
        "under, below, less than, cheaper than, no more than, not more than, up to, at most, lower than",
        "smaller than, before, earlier than, older than",
    ),
    at_least=phrases(
        "over, above, more than, at least, higher than, bigger than, larger than, greater than, after, later than",
        "newer than, since",
    ),
    between=words("between"),
    range_words=words("to through thru until till"),
    joining=words("and plus or nor"),
    either=phrases(
        "either, either one, any, any of them, any one, anyone of them, whichever, whatever, no matter",
        "doesnt matter, i dont care, dont care, i dont mind, you choose, you pick, surprise me, any will do",
        "either is fine",
    ),
    every=phrases(
        "all, both, everything, all of them, all of those, all of these, both of them, both of those, both of these",
        "every one, each of them, each one, the lot, the whole lot, all the things, every, every single one",
        "everyone, everybody, all three, all four, all of us, of us all, the whole order, the entire order",
        "the two of them, the 2 of them, the 2, the two, all the items, the whole thing",
    ),
    exceptions=phrases(
        "except, except for, but, but not, apart from, other than, excluding, besides, save, save for, minus",
        "without, aside from, bar, with the exception of, just not, not including",
    ),
    nothing=phrases(
        "dont want any of them, dont want any, do not want any of them, neither of the 2",
        "delete the list, clear my list",
        "none, none of them, none of these, none of those, neither, neither of them, neither one, nothing",
        "neither of those, neither of these, no one, not any, not any of them, none of the above, nothing of that",
        "none of it, clear it, clear them, clear all, clear everything, clear the list, empty it, empty the list",
        "start over",
    ),
    negations=phrases(
        "not, isnt, is not, thats not, that isnt, which isnt, dont want, do not want, anything but, never, arent",
        "not from, rather than, instead of, dont need, do not need, doesnt, didnt mean",
    ),
    other=words("other another others"),
    dual=phrases("both, the two, the 2, the two of them, the 2 of them"),
    plus=words("plus"),
    contrast=words("but"),
    refusals=phrases(
        "off the list, off my list, off it, out of it, out of the list, out of my list, off my order, out of my order",
        "i dont want, i do not want, i dont need, i do not need, dont want, isnt it, is not it, isnt, is not",
    ),
    rest=phrases(
        "the rest, everything else, all the others, the others, the other ones, the remaining ones, others",
    ),
    additions=phrases(
        "also, add, too, as well, plus, include, additionally, in addition, on top, throw in, and also, oh and",
        "another, put in, put on, and add, along with, together with, with it, i forgot, forgot, adding, append",
    ),
    removals=phrases(
        "dont send back, dont return, dont cancel, dont send, dont take, dont order, dont want to return",
        "dont want to send back, dont want to cancel, do not return, do not send back, do not cancel",
        "remove, drop, delete, take out, take off, take away, leave out, without, minus, forget, forget about",
        "no more, not, skip, exclude, dont want, do not want, dont need, do not need, keep out, scrap, scratch",
        "no longer want, cross out, except, but not, i no longer need, no longer, omit, get rid of, put back, lose",
        "subtract, dont include, do not include, changed my mind about, except for, dont add, take back",
    ),
    replacements=phrases("instead of, rather than, in place of"),
    only=words("only just"),
    indefinite=words("a an another something"),
    plurals=words("ones all both those these anything"),
    plural_pronouns=words("ones"),
    definite=words("the"),
    determiners=words("the a an that this my those these"),
    questions=phrases(
        "what, whats, which, who, when, whens, where, wheres, why, how, hows, is, are, does, do, did, was, were, has",
        "have you, can i keep, should i, will, would it, could it, can it, whos, whose, am i, may it, is there",
        "tell me, i wonder, wait how, wait what, wait when, i have a question, quick question, isnt, arent, cant i",
    ),
    polite_questions=phrases(
        "can i get, can i have, could i get, could i have, can you, could you, would you, can we, could we",
        "may i have, can i take, could i take, can i return, can i pick, can i choose, could i return, how about",
        "what about, can i please, may i, would it be possible, is it possible to, do you mind, would you mind",
        "will you, can i swap, can i change, could i please, can i send back, can i cancel, could i cancel",
        "can i go with, could we do",
    ),
    greetings=words(
        "oh hi hello hey um uh well so hmm and but wait ok okay sorry please actually no yes good morning",
    ),
    self_corrections=phrases(
        "no sorry, no wait, sorry no, i mean, i meant, sorry i mean, wait no, or rather, no actually, actually no",
        "sorry, scratch that, correction, make that, no make it, no i mean, oops",
    ),
    wishes=phrases(
        "want to know, want to change, want to talk, want to speak, like to change, like to know, need to change",
        "talk to, speak to, want to ask, like to ask, need help, want to cancel, want to update, need to update",
        "want to check, like to speak, like to talk, need to know, want to see my, help, stop, human, agent",
        "cancel it, repeat, would like to update, id like to check, forgot my",
    ),
    swaps=phrases("swap, exchange, replace, change, switch, trade, substitute"),
    swap_joints=words("for with to by"),
    keeps=phrases(
        "keep, ill keep, i will keep, i want to keep, id like to keep, let me keep, im keeping, i keep",
    ),
    bare_negations=words("neither nor"),
    trailing_negations=words("not no off out away dont doesnt"),
    abbreviations=words("dr mr mrs ms st ave no nr prof jr sr"),
    asides=phrases(
        "after all, at all, in the end, first of all, all right, above all, all in all, of all, all good",
        "that is all, that all, that it, thats all, that will be all, thatll be all, not at all, all set, all done,",
        "and thats all, not sure, im not sure, why not, if not, i dont know, dont know, no idea, not too",
        "not so sure, on second thought, on second thoughts, a second",
        "one second, just a second, a sec, second thoughts",
    ),
    around=phrases("around, about, roughly, approximately, near, close to, some, like"),
    ending_leads=phrases(
        "ending in, ending with, ends in, ends with, ending, that ends in, ends on",
    ),
    units={
        **numbered(
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ),
        **{
            word: 10 * number
            for word, number in numbered("twenty thirty forty fifty sixty seventy eighty ninety", start=2).items()
        },
    },
    scales={"hundred": 100, "thousand": 1000, "million": 1_000_000},
    number_joiners=words("and"),
    number_articles=words("a"),
    joins_tens=False,
    minutes_before={
        ("half", "past"): 30,
        ("half",): 30,
        ("quarter", "past"): 15,
        ("quarter", "to"): -15,
        ("10", "past"): 10,
        ("20", "past"): 20,
        ("10", "to"): -10,
        ("20", "to"): -20,
    },
    minutes_behind={},
    clock_leads=phrases("at, at around, around, for"),
    day_parts={
        "morning": (0, 12),
        "afternoon": (12, 19),
        "evening": (17, 24),
        "night": (18, 24),
        "tonight": (18, 24),
        "lunch": (12, 16),
        "lunchtime": (12, 16),
        "dinner": (18, 24),
        "supper": (18, 24),
        "breakfast": (5, 11),
        "am": (0, 12),
        "pm": (12, 24),
        "noon": (12, 13),
        "midday": (12, 13),
    },
)
