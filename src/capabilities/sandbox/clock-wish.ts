// What people write when they want a clock to be moved, over the interface and on the command line alike.

const yearsMax = 1_000
const oneYear = Temporal.PlainDate.from('2024-01-01')

// A positive ISO 8601 duration such as P1M or PT36H that a calendar can hold; null for anything else. Whether
// it is too long for one move is for the clock to say.
export function readDuration(text: string): Temporal.Duration | null {
  try {
    const duration = Temporal.Duration.from(text.trim())
    const isBounded = Temporal.Duration.compare(duration, { years: yearsMax }, { relativeTo: oneYear }) <= 0
    return duration.sign > 0 && isBounded ? duration : null
  } catch {
    // Temporal throws on what is no duration and on what no calendar can hold.
    return null
  }
}

export const durationForm = 'a positive ISO 8601 duration of up to ten years, such as P1D, P1M or PT12H'
