"""URLs: Documents that questions are answered from."""

from django.urls import path

from dialogue.web.knowledge import views

urlpatterns = [
    path("documents/<slug:assistant>/", views.documents, name="documents"),
    path("documents/<slug:assistant>/upload/", views.upload, name="documents_upload"),
    path("documents/<slug:assistant>/<int:number>/", views.document, name="document"),
    path("documents/<slug:assistant>/<int:number>/remove/", views.remove, name="document_remove"),
]
