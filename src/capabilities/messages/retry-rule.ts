// When a message that was not taken is tried again, and how long a channel rests whose sender is away.

// Before the second try, the third and so on; about two days in all.
const secondsBefore: readonly number[] = [
  0, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400,
]

// How long to wait after so many tries; null when there is no further one.
export function delayAfter(tries: number): number | null {
  const seconds = secondsBefore[tries]
  return seconds === undefined ? null : seconds * 1_000
}

const restMsFirst = 1_000
const restMsMax = 60_000
// Each such text is lost until somebody looks after it, so there must be few.
const restMsMaxUnknown = 900_000

// After so many outages in a row. What rests uses up no tries and keeps its place.
export function restAfter(failures: number, kind: 'away' | 'unknown' = 'away'): number {
  const most = kind === 'unknown' ? restMsMaxUnknown : restMsMax
  return Math.min(restMsFirst * 2 ** Math.min(Math.max(failures - 1, 0), 16), most)
}

// A sender that is away so often for the same message may mean that message: the one behind it tells.
export const outagesMax = 20
// So many are passed over at most to find one that the sender takes.
export const suspectsMax = 5
