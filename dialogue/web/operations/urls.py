"""URLs: Home, health, metrics, status, the command bar and the reference."""

from django.urls import path

from dialogue.web.operations import (
    account,
    command_bar,
    first_steps,
    health,
    home,
    metrics,
    palette,
    reference,
    status,
)

urlpatterns = [
    path("", home.home_page, name="home"),
    path("health/live", health.liveness, name="live"),
    path("health/ready", health.readiness, name="ready"),
    path("metrics", metrics.metrics_page, name="metrics"),
    path("start/", first_steps.first_steps, name="first_steps"),
    path("start/done/", first_steps.dismiss, name="first_steps_dismiss"),
    path("status/", status.status_page, name="status"),
    path("command/", command_bar.run_line, name="command"),
    path("command/complete/", command_bar.complete, name="command_complete"),
    path("command/preview/", command_bar.preview_line, name="command_preview"),
    path("palette/", palette.search, name="palette"),
    path("account/", account.account_page, name="account"),
    path("account/zone/", account.save_zone, name="account_zone"),
    path("account/password/", account.save_password, name="account_password"),
    path("quiet/", home.do_not_disturb, name="quiet"),
    path("reference/", reference.reference_page, name="reference"),
]
