"""The HTTP API, version 1, assembled."""

from dialogue.web.api.assistants import router as assistants
from dialogue.web.api.conversations import router as conversations
from dialogue.web.api.description import DescribedAPI
from dialogue.web.api.following import router as following
from dialogue.web.api.parser import StrictJson
from dialogue.web.api.problems import answer_problems
from dialogue.web.api.releases import router as releases
from dialogue.web.api.sessions import router as sessions

api = DescribedAPI(
    title="Soni Admin",
    version="1",
    description="Conversations and the gates in which people decide. Errors are application/problem+json.",
    parser=StrictJson(),
    docs_url=None,
    urls_namespace="api",
)
api.add_router("/conversations", conversations)
api.add_router("/conversations", following)
api.add_router("/sessions", sessions)
api.add_router("/assistants", assistants)
api.add_router("/assistants", releases)
answer_problems(api)
