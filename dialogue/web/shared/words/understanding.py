"""The ways to understand messages and to train programs, by their names in commands and rows, in plain words."""

from django.utils.translation import gettext_lazy

WAYS_TO_UNDERSTAND = {
    "auto": gettext_lazy("with the language model where the assistant is not sure"),
    "learned": gettext_lazy("from examples and rules, without a language model"),
    "llm": gettext_lazy("with the language model for every message"),
}
"""The NLU that a measurement uses, in words."""
WAYS_OF_TESTS = {**WAYS_TO_UNDERSTAND, "rules": gettext_lazy("by rules and words only")}
"""The NLU that a test conversation uses, in words."""
WAYS_TO_TRAIN = {
    "nearest": gettext_lazy("the nearest examples for each message (seconds)"),
    "labeled": gettext_lazy("the same examples for every message (seconds)"),
    "bootstrap": gettext_lazy("right answers of the model too (minutes)"),
    "mipro": gettext_lazy("better instructions are searched too (hours)"),
    "gepa": gettext_lazy("the model improves its instructions (hours)"),
}
"""The optimizers of programs, in words."""
ACTS_IN_WORDS = {
    "yes": gettext_lazy("a yes"),
    "no": gettext_lazy("a no"),
    "cancel": gettext_lazy("end what runs"),
    "skip": gettext_lazy("leave the question out"),
    "repeat": gettext_lazy("say the question again"),
    "help": gettext_lazy("what the assistant can do"),
    "person": gettext_lazy("talk to a person"),
    "restart": gettext_lazy("begin the conversation again"),
    "why": gettext_lazy("why this is asked"),
    "status": gettext_lazy("how far it is"),
    "small_talk": gettext_lazy("thanks, a greeting or small talk"),
}
"""What customers say to steer a dialogue, by the keys of `phrases` in assistant.yaml."""
