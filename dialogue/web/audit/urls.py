"""URLs of the audit record."""

from django.urls import path

from dialogue.web.audit import views

urlpatterns = [
    path("audit/", views.audit_list, name="audit"),
    path("audit/<int:entry>/", views.audit_entry, name="audit_entry"),
    path("audit/export/<slug:ending>/", views.export, name="audit_export"),
    path("audit/verify/", views.verify, name="audit_verify"),
    path("audit/verify/run/", views.run_check, name="audit_check"),
]
