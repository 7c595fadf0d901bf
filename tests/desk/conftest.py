"""Every test of the desk may have the transfer, and the people around it."""

from tests.support.answering import ask, link, token  # noqa: F401 - fixtures are found by their names here
from tests.support.transfers import (  # noqa: F401 - fixtures are found by their names here
    conversation,
    noon,
    olga,
    open_session,
    oscar,
    payments,
    session,
    sofia,
)
