// The arrow keys go from column to column of a chart, so that each chart is one stop of the Tab key. What a column counts
// is shown by the style sheet, under the pointer and at the focus.

const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

for (const columns of document.querySelectorAll("[data-columns]")) {
  columns.addEventListener("keydown", event => {
    const column = event.target.closest("li"), items = [...columns.children];
    const ends = { Home: 0, End: items.length - 1 };
    const index = ends[event.key] ?? items.indexOf(column) + (STEPS[event.key] ?? NaN);
    const next = items[index];
    if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    column.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
