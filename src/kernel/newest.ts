// What a search without pages answers: the newest, and whether there are more of them.
export type Newest<T> = { readonly found: readonly T[]; readonly isCut: boolean }

const shownMax = 100

// One more than is shown tells that there are more.
export const soughtMax = shownMax + 1

export function newestOf<T>(sought: readonly T[]): Newest<T> {
  return { found: sought.slice(0, shownMax), isCut: sought.length > shownMax }
}
