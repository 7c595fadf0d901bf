// Parts of pages that are asked for again every few seconds rest while the tab is hidden.
document.addEventListener("htmx:beforeRequest", event => {
  const isPolled = event.detail.elt.getAttribute("hx-trigger")?.startsWith("every ");
  if (isPolled && document.hidden) event.preventDefault();
});
