from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path
from django.views.generic import TemplateView

admin.site.site_header = "Backstage of the shop"

urlpatterns = [
    path("", TemplateView.as_view(template_name="customers/home.html")),
    path("account/login/", LoginView.as_view(template_name="customers/login.html")),
    path("account/logout/", LogoutView.as_view()),
    path("backstage/", admin.site.urls),
]
