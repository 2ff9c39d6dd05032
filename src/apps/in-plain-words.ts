// What went wrong, as told-plainly.ts words it, which is read only then. Where even that cannot be read, what
// went wrong first is told as it is.
export function inPlainWords(error: unknown): Promise<unknown> {
  return import('#apps/told-plainly.ts').then(
    ({ toldPlainly }) => toldPlainly(error),
    () => error,
  )
}
