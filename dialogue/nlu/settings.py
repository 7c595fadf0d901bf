"""Settings of the understanding. The host reads them from the environment and passes them in."""

from dataclasses import dataclass, field

from dialogue.nlu.budgets import Budget


@dataclass(frozen=True)
class NLUSettings:
    """`use_embeddings`: compare by meaning, which needs the extra "embedded".

    `model` is a LiteLLM name ("openai/gpt-4o-mini", "ollama/qwen2.5"); "" means that there is no language model.
    With `api_base`, the last part of the model's name is requested at that OpenAI-compatible address.
    `time_limit` is seconds for one message; after `max_failures` in a row the circuit breaker opens.
    """

    use_embeddings: bool = False
    model: str = ""
    api_base: str = ""
    api_key: str = field(default="", repr=False)
    time_limit: float = 8.0
    max_tokens: int = 256
    retries: int = 1
    max_failures: int = 3
    budget: Budget = field(default_factory=Budget)

    @property
    def has_model(self) -> bool:
        return bool(self.model)
