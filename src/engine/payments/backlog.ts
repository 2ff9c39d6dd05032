// Attempts off the straight path, counted.
export type Backlog = {
  readonly unknown: number
  readonly oldestUnknownAt: Temporal.Instant | null
  readonly reversing: number
  // Closed with us, approved too late by the bank, and to be reversed there.
  readonly late: number
  readonly manual: number
}

export type Alarm = {
  // Rings once for each name.
  readonly name: string
  readonly text: string
}

const unknownMinutesMax = 15
const unknownMax = 10

export function unknownSeconds({ oldestUnknownAt }: Backlog, now: Temporal.Instant): number {
  return oldestUnknownAt === null ? 0 : Math.max(0, Math.floor(now.since(oldestUnknownAt).total('seconds')))
}

// What somebody should look at now. The number of manual ones is part of the name, so that each more rings.
export function alarmsFor(backlog: Backlog, now: Temporal.Instant): readonly Alarm[] {
  const { unknown, manual } = backlog
  const isOld = unknownSeconds(backlog, now) > unknownMinutesMax * 60
  return [
    ...(isOld
      ? [{ name: 'unknown_long', text: `An outcome is unknown for more than ${unknownMinutesMax} minutes` }]
      : []),
    ...(unknown > unknownMax
      ? [{ name: 'unknown_many', text: `More than ${unknownMax} outcomes are unknown` }]
      : []),
    ...(manual > 0
      ? [
          {
            name: `manual_${manual}`,
            text: 'Attempts need an operator: tillgate attempt list --state manual',
          },
        ]
      : []),
  ]
}
