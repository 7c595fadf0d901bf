// Addresses of the console's pages, API and sockets. The project may mount the console below any prefix: the page says
// where, and everything that is not in the page's own links comes from here.

export const ROOT = document.documentElement.dataset.root ?? "/";

// `path` without a slash in front, such as "ws/inbox/".
export function address(path) {
  return ROOT + path;
}
