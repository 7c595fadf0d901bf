"""Every address of the project: the console's, the API's and Django's admin."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [path("admin/", admin.site.urls), path("", include("dialogue.urls"))]

handler500 = "soni_admin.error_pages.server_error"
