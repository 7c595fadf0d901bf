"""URLs: Home, health, metrics, status, figures, the command bar and the reference."""

from django.urls import path

from dialogue.web.operations import command_bar, figures, health, home, metrics, status

urlpatterns = [
    path("", home.home, name="home"),
    path("health/live", health.live, name="live"),
    path("health/ready", health.ready, name="ready"),
    path("metrics", metrics.metrics, name="metrics"),
    path("status/", status.status, name="status"),
    path("command/", command_bar.command, name="command"),
    path("command/complete/", command_bar.completions, name="command_complete"),
    path("command/preview/", command_bar.preview, name="command_preview"),
    path("quiet/", home.do_not_disturb, name="quiet"),
    path("figures/", figures.figures, name="figures"),
    path("figures/csv/", figures.export, name="figures_csv"),
    path("reference/", home.reference, name="reference"),
]
