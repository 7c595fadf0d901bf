"""The console's pages and API, for a project to mount: `path("soni/", include("dialogue.urls"))`."""

from dialogue.web.server.caching import keep_views_private
from dialogue.web.urls import app_name, urlpatterns

__all__ = ["app_name", "urlpatterns"]

keep_views_private(urlpatterns)
