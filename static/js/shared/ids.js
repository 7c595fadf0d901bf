// Ids of messages that this page sends.

/** A new unique id. The server recognises by it a message that is sent a second time. */
export function newId() {
  // Browsers offer randomUUID only on pages with TLS and on localhost.
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`;
}
