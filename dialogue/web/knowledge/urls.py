"""URLs: Documents that questions are answered from."""

from django.urls import path

from dialogue.web.knowledge import views

urlpatterns = [
    path("documents/<slug:assistant>/", views.documents_page, name="documents"),
    path("documents/<slug:assistant>/upload/", views.upload_documents, name="documents_upload"),
    path("documents/<slug:assistant>/<int:number>/", views.document_page, name="document"),
    path("documents/<slug:assistant>/<int:number>/remove/", views.remove_document_view, name="document_remove"),
]
