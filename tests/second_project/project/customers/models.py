"""Accounts that sign in by email and have neither a user name nor a name."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models


class Customers(BaseUserManager):
    def create_user(self, email, password=None, **facts):
        customer = self.model(email=self.normalize_email(email), **facts)
        customer.set_password(password)
        customer.save()
        return customer

    def create_superuser(self, email, password=None, **facts):
        return self.create_user(email, password, is_staff=True, is_superuser=True, **facts)


class Customer(AbstractBaseUser, PermissionsMixin):
    email = models.EmailField(unique=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)

    objects = Customers()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self):
        return self.email
