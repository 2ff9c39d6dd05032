// A broken promise of our own code is a fault: it ends the call, never the caller's fault.
export function assert(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new Error(`Broken promise: ${promise}`)
}

// Ends a switch over all values of a type: a new one does not compile until it has its case. What a newer
// version has written to the database is stopped here.
export function assertNever(value: never): never {
  throw new Error(`Broken promise: every value is known, and ${String(value)} is not`)
}
