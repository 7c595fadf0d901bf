"""URLs: an assistant on other sites."""

from django.urls import path

from dialogue.web.integrate import views, webhooks

urlpatterns = [
    path("integrate/<slug:assistant>/", views.integrate, name="integrate"),
    path("integrate/<slug:assistant>/try/", views.try_widget, name="integrate_try"),
    path("integrate/<slug:assistant>/origins/", views.add_origin, name="origin_add"),
    path("integrate/<slug:assistant>/origins/<int:number>/remove/", views.drop_origin, name="origin_remove"),
    path("integrate/<slug:assistant>/secrets/", views.add_secret, name="secret_add"),
    path("integrate/<slug:assistant>/secrets/<int:number>/revoke/", views.drop_secret, name="secret_revoke"),
    path("webhooks/", webhooks.webhooks, name="webhooks"),
    path("webhooks/<int:number>/", webhooks.webhook, name="webhook"),
    path("webhooks/<int:number>/<slug:change>/", webhooks.change_webhook, name="webhook_change"),
    path("deliveries/<int:number>/", webhooks.delivery, name="webhook_delivery"),
    path("deliveries/<int:number>/resend/", webhooks.resend, name="webhook_resend"),
]
