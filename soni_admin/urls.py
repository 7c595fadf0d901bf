"""Every address of the project: the console's, the API's and Django's admin."""

from importlib.util import find_spec

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path


def web_addresses() -> list[URLPattern | URLResolver]:
    return [path("", include("dialogue.web.urls"))] if find_spec("dialogue.web") else []


urlpatterns: list[URLPattern | URLResolver] = [path("admin/", admin.site.urls), *web_addresses()]
