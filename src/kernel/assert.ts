// A broken promise of our own code is a fault: it ends the call, never the caller's fault.
export function assert(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new Error(`Broken promise: ${promise}`)
}
