"""URLs: Figures, as a page and as files."""

from django.urls import path

from dialogue.web.figures import exports, views

urlpatterns = [
    path("figures/", views.figures_page, name="figures"),
    path("figures/csv/", exports.export_csv, name="figures_csv"),
    path("figures/csv/<slug:chart>/", exports.export_chart, name="figures_chart_csv"),
]
