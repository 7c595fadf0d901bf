"""What the page of figures draws: cards, and charts with their legends, labels and tables, in the reader's words."""

from dataclasses import dataclass, field

from dialogue.web.figures import charts
from dialogue.web.figures.charts import Mark, Segment
from dialogue.web.figures.differences import Difference


@dataclass(frozen=True)
class Card:
    """One number: what it is, its value, more about it, and the difference to the period before."""

    title: str
    value: str
    detail: str
    difference: Difference
    before: str


@dataclass(frozen=True)
class LegendEntry:
    """One class of a chart: its look, its words, and its total."""

    kind: str
    words: str
    total: str = ""

    @property
    def pattern(self) -> str:
        return charts.pattern_of(self.kind)


@dataclass(frozen=True)
class Table:
    """The numbers behind a chart."""

    columns: list[str]
    rows: list[list[str]]

    def values_by_column(self) -> "list[ColumnValues]":
        """Return the values of a chart's columns, where the table has a row for each."""
        return [ColumnValues(row[0], list(zip(self.columns[1:], row[1:], strict=True))) for row in self.rows]


@dataclass(frozen=True)
class ColumnValues:
    """What one column of a chart counts: its day or hour, and its numbers with their words."""

    place: str
    values: list[tuple[str, str]]


@dataclass(frozen=True)
class AxisChart:
    """Bars or marks over an axis of days or hours. Labels are from the left to the right and from above to below.

    `columns` has the values of each column, which the chart shows under the pointer or the focus.
    """

    name: str
    title: str
    summary: str
    legend: list[LegendEntry]
    segments: list[Segment]
    marks: list[Mark]
    level: str
    value_labels: list[str]
    place_labels: list[str]
    table: Table
    grid: list[str]
    columns: list[ColumnValues]
    unit: str = ""


@dataclass(frozen=True)
class RowChart:
    """One lying bar, or one pair of marks, for each row; `cells` are the numbers beside it."""

    name: str
    title: str
    legend: list[LegendEntry]
    columns: list[str]
    rows: list["ChartRow"]
    table: Table
    note: str = ""
    value_labels: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ChartRow:
    """One row: places of the marks on its axis ("" where there is none), or segments of its bar."""

    words: str
    detail: str
    cells: list[str]
    segments: list[Segment] = field(default_factory=list)
    median: str = ""
    ninth: str = ""
    before: str = ""
