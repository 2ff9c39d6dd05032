const delayMsFirst = 1_000
const delayMsMax = 3_600_000

// Doubles with every try. The random half (0 <= random < 1) keeps tasks that failed together from returning
// together.
export function retryDelayMs(tries: number, random: number): number {
  const delayMs = Math.min(delayMsFirst * 2 ** (tries - 1), delayMsMax)
  return Math.round(delayMs / 2 + (delayMs / 2) * random)
}
