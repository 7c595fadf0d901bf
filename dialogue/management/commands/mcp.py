"""manage.py mcp — the MCP server for a coding agent or an operator's assistant, over stdin and stdout."""

from importlib.util import find_spec
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dialogue.desk.access.token_scopes import SCOPES
from dialogue.management.mcp_access import ToolRefused, assistant_with
from dialogue.management.terminal import wait_for


class Command(BaseCommand):
    help = "Serve the Model Context Protocol over stdin and stdout, with the API token in SONI_MCP_TOKEN."

    def handle(self, *args: Any, **options: Any) -> None:
        if find_spec("mcp") is None:
            raise CommandError("The library of MCP is missing. Install it: pip install 'soni-admin[mcp]'")
        try:
            assistant_with(*SCOPES)
        except ToolRefused as refused:
            raise CommandError(str(refused)) from None
        from dialogue.management.mcp_server import build_server

        wait_for(build_server().run_stdio_async())
