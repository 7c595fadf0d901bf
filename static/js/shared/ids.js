/** An id that nothing had before: by it the server knows what is sent a second time. */
export function freshId() {
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`; // pages without TLS have no randomUUID
}
