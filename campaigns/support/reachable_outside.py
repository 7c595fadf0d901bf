"""The shop's actions for a server that is started as users start it, which may send webhooks to the world outside."""

from campaigns.support import outside_actions  # noqa: F401  (it registers them)
from campaigns.support.forked_servers import allow_this_machine

allow_this_machine()
