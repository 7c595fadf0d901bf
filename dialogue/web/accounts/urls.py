"""URLs of users, their passwords, and API tokens."""

from django.urls import path

from dialogue.web.accounts import views

urlpatterns = [
    path("users/", views.users, name="users"),
    path("users/new/", views.add_user, name="user_add"),
    path("users/<int:number>/", views.user, name="user"),
    path("users/<int:number>/roles/", views.change_roles, name="user_roles"),
    path("users/<int:number>/active/", views.set_active, name="user_active"),
    path("users/<int:number>/password-link/", views.password_link, name="user_password_link"),
    path("password/<str:uidb64>/<str:token>/", views.SetPassword.as_view(), name="set_password"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/new/", views.add_token, name="token_add"),
    path("tokens/<int:number>/revoke/", views.remove_token, name="token_revoke"),
]
