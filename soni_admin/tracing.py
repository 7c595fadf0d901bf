"""Under which names LangSmith's tracing can be switched on; any one of them is enough."""

TRACING_NAMES = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
"""As langsmith 0.x reads them: the prefix of either maker, with and without the version."""
