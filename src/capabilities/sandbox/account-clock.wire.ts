import { Type } from 'typebox'
import { orNull, WireMoment, WireText } from '#capabilities/wire/scalars.wire.ts'
import type { ClockState } from '#engine/account-clock/move-clock.operation.ts'
import { printMoment } from '#kernel/calendar.ts'

const Entry = Type.Object({
  at: WireMoment('When it was due, by the clock of the account.'),
  what: WireText(100, 'What was done, for programs.'),
  subject: orNull(Type.String({ description: 'The id of what it was done to.' })),
  text: Type.String({ description: 'What was done, for people.' }),
})

// The clock of an account, as the sandbox shows it.
export const ClockMembers = Type.Object({
  now: orNull(WireMoment('What the clock of the account shows.')),
  movingTo: orNull(WireMoment('Where the clock is on its way to; null when it has arrived.')),
  diary: Type.Array(Entry, { description: 'What the last move brought, in order; the first 1,000 entries.' }),
  diaryTotal: Type.Integer({ description: 'How many entries the diary has.' }),
  unresolved: Type.Integer({ description: 'Payments whose outcome is not known yet; time does not wait.' }),
})

export function clockToWire({ now, movingTo, diary, unresolved }: ClockState) {
  return {
    now: printMoment(now),
    movingTo: movingTo ? printMoment(movingTo) : null,
    diary: diary.entries.map(({ at, what, subject, text }) => {
      return { at: printMoment(at), what, subject: subject === null ? null : String(subject), text }
    }),
    diaryTotal: diary.total,
    unresolved,
  }
}

export function noClockToWire() {
  return { now: null, movingTo: null, diary: [], diaryTotal: 0, unresolved: 0 }
}

export const clockExample = {
  now: '2027-01-31T00:00:00.000Z',
  movingTo: null,
  diary: [],
  diaryTotal: 0,
  unresolved: 0,
}
