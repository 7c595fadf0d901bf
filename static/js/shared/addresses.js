// Addresses of the console's pages, its API and its sockets, for scripts that do not find them in the page's own links.

// A project may mount the console below any prefix, which the page names.
const root = document.documentElement.dataset.root ?? "/";

/** The address of a path without a slash in front, such as "ws/inbox/". */
export function address(path) {
  return root + path;
}
