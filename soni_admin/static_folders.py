"""Folders of static files that are no app's."""

from importlib.util import find_spec
from pathlib import Path


def htmx_folder() -> Path:
    """The scripts of the package django-htmx, found without importing it; a wheel has its own copy of one."""
    package = find_spec("django_htmx")
    assert package is not None and package.submodule_search_locations
    return Path(package.submodule_search_locations[0], "static", "django_htmx")
