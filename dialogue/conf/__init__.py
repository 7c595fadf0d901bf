"""The console's settings: `soni.NLU_MODEL` and the like, from the project's `SONI = {"NLU_MODEL": …}`.

What the project does not set there comes from the environment variable of the setting, and then from its default.
docs/embedding.md has them in a table.
"""

from difflib import get_close_matches
from typing import Any

from dialogue.conf.setting import (
    Setting,
    days,
    flag,
    limits,
    one_of,
    origins,
    prices,
    seconds,
    span,
    text,
    whole,
    words,
)


class Settings:
    """Every setting of the console; the key in `SONI` is the attribute's name."""

    # What the project brings.
    ACTIONS = words("SONI_ACTIONS", "dialogue.library.demo.actions")
    COMMANDS = words("SONI_COMMANDS")
    KNOWLEDGE = text("SONI_KNOWLEDGE", "dialogue.library.knowledge.knowledge_base.DocumentKnowledge")
    HELP = text("SONI_HELP")
    CHANNELS = words("SONI_CHANNELS")
    # How long knowledge and help are waited for.
    LOOKUP_SECONDS = seconds("SONI_LOOKUP_SECONDS", 4)

    # People.
    SEPARATE_PUBLISHER = flag("SONI_SEPARATE_PUBLISHER")
    ANSWER_WITHIN = span("SONI_ANSWER_WITHIN", 300)
    UNMASKED_FOR = span("SONI_UNMASKED_FOR", 900)
    KEPT_DAYS = days(
        "SONI_KEEP", conversations=0, tests=90, traces=0, drafts=90, attempts=365, news=30, webhooks=30, channels=90
    )
    PUBLIC_URL = text("SONI_URL")
    # Where the API of Telegram is, for a server of your own.
    TELEGRAM_URL = text("SONI_TELEGRAM_URL", "https://api.telegram.org")
    # Signed tokens that say who a customer is: every secret counts, so that one can be replaced by another.
    USER_TOKEN_SECRETS = words("SONI_USER_TOKEN_SECRETS")
    USER_TOKEN_AUDIENCE = text("SONI_USER_TOKEN_AUDIENCE", "soni")

    # The MCP server for authors' and operators' assistants: the API token that it uses, and whether it may decide.
    MCP_TOKEN = text("SONI_MCP_TOKEN")
    MCP_DECIDE = flag("SONI_MCP_DECIDE")

    # Limits for visitors without an account; 0 sets none.
    OPENINGS_PER_ADDRESS = whole("SONI_OPENINGS_PER_ADDRESS", 300)  # in ten minutes
    MESSAGES_PER_CONVERSATION = whole("SONI_MESSAGES_PER_CONVERSATION", 120)  # a minute
    MESSAGES_PER_ADDRESS = whole("SONI_MESSAGES_PER_ADDRESS", 1_200)  # a minute
    # Unanswered requests of the agents of one account; 0 sets no limit.
    OPEN_REQUESTS_PER_ACCOUNT = whole("SONI_OPEN_REQUESTS_PER_ACCOUNT", 5_000)

    # Turns that may wait to begin in a process until new conversations are refused; 0 sets no limit.
    MAX_WAITING_TURNS = whole("SONI_MAX_WAITING_TURNS", 200)

    # Origins of images in messages, such as https://images.example.org.
    IMAGE_ORIGINS = origins("SONI_IMAGE_ORIGINS")

    # Files that people send: the alias of a Django storage, and a function that scans them for viruses.
    FILE_STORAGE = text("SONI_FILE_STORAGE", "default")
    FILE_SCANNER = text("SONI_FILE_SCANNER")

    # Understanding.
    NLU = one_of("NLU", ("rules", "learned", "llm", "auto"), "auto", dotted=True)
    NLU_EMBEDDED = one_of("NLU_EMBEDDED", ("auto", "off"), "auto")
    NLU_MODEL = text("NLU_MODEL")
    NLU_API_BASE = text("NLU_API_BASE")
    NLU_API_KEY = text("NLU_API_KEY")
    NLU_SECONDS = seconds("NLU_SECONDS", 8)
    NLU_REPHRASE = flag("NLU_REPHRASE")
    NLU_TURN_LIMITS = limits("NLU_TURN", 4, 20_000, 0)  # a message has its time from NLU_SECONDS
    NLU_CONVERSATION_LIMITS = limits("NLU_CONVERSATION", 200, 400_000, 1_200)
    NLU_ADDRESS_LIMITS = limits("NLU_ADDRESS", 1_000, 2_000_000, 6_000)
    NLU_PRICES = prices("NLU_PRICE_IN", "NLU_PRICE_OUT")

    # The process.
    RUN_TURNS = flag("SONI_RUN_TURNS", default=True)
    RELOAD_ACTIONS = flag("SONI_RELOAD_ACTIONS")
    PORT = whole("SONI_PORT", 8000)
    REDIS_URL = text("REDIS_URL")
    METRICS_TOKEN = text("SONI_METRICS_TOKEN")
    METRICS_PORT = whole("SONI_METRICS_PORT", 0)
    TRACES_URL = text("OTEL_EXPORTER_OTLP_ENDPOINT")

    @property
    def root_url(self) -> str:
        """The address at which people reach this installation, without a slash at its end."""
        return (self.PUBLIC_URL or f"http://localhost:{self.PORT}").rstrip("/")


soni = Settings()

SETTINGS: dict[str, Setting[Any]] = {
    name: setting for name, setting in vars(Settings).items() if isinstance(setting, Setting)
}
"""Each setting by its key."""


def unknown_keys(own: dict[str, Any]) -> list[tuple[str, str]]:
    """(key, nearest known key or "") for each key of the project's `SONI` that is not a setting."""
    unknown = (str(key) for key in own if key not in SETTINGS)
    return [(key, next(iter(get_close_matches(key.upper(), SETTINGS, 1, 0.5)), "")) for key in unknown]
