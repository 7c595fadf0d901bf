"""Every address of the project: the console's, the API's and Django's admin."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from soni_admin.rooms import is_built


def web_addresses() -> list[URLPattern | URLResolver]:
    return [path("", include("dialogue.web.urls"))] if is_built("dialogue.web.urls") else []


urlpatterns: list[URLPattern | URLResolver] = [path("admin/", admin.site.urls), *web_addresses()]
