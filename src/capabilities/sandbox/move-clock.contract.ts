import { Type } from 'typebox'
import {
  clockExample,
  ClockMembers,
  clockToWire,
  noClockToWire,
} from '#capabilities/sandbox/account-clock.wire.ts'
import { durationForm, readDuration } from '#capabilities/sandbox/clock-wish.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { outOfRange, readMoment, WireMoment, WireText } from '#capabilities/wire/scalars.wire.ts'
import type { ClockState, ClockWish } from '#engine/account-clock/move-clock.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export const moveClockContract = defineContract({
  path: 'clock',
  prefix: '/sandbox/',
  resultKey: 'ClockResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Move the clock',
  description:
    'Moves the clock of the account forward and does on the way, in order of time, all that falls due.',
  request: Type.Object({
    advance: Type.Optional(WireText(60, 'By how much: an ISO 8601 duration such as P1Y.')),
    set: Type.Optional(WireMoment('To when.')),
  }),
  result: ClockMembers,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'clock_is_live',
    'clock_is_moving',
    'clock_goes_forward',
    'clock_too_far',
    'paused',
  ],
  example: {
    request: { advance: 'P1M' },
    result: clockExample,
    message: 'It is 2027-01-31T00:00:00.000Z; 0 things were done',
  },
  fromWire: (wished, { timeZone }) => readWish(wished, timeZone),
  toWire: (clock: ClockState) => ({ message: messageOf(clock), members: clockToWire(clock) }),
  refusedToWire: () => noClockToWire(),
})

type Wished = { readonly advance?: string | undefined; readonly set?: string | undefined }

function readWish({ advance, set }: Wished, zone: string): Result<ClockWish, RequestFault> {
  if (advance !== undefined && set !== undefined)
    return outOfRange('advance and set exclude each other; send one of them')
  if (advance !== undefined) {
    const by = readDuration(advance)
    return by ? ok({ kind: 'advance', by }) : outOfRange(`advance must be ${durationForm}`)
  }
  if (set === undefined) return refuse('missing_member', { problem: 'advance or set is missing' })
  const to = readMoment(set, { zone, member: 'set' })
  return to.ok ? ok({ kind: 'set', to: to.value }) : to
}

function messageOf({ now, movingTo, diary: { total } }: ClockState): string {
  const done = `${total} ${total === 1 ? 'thing was' : 'things were'} done`
  if (!movingTo) return `It is ${printMoment(now)}; ${done}`
  return `It is ${printMoment(now)} and goes on to ${printMoment(movingTo)} by itself; ${done} so far`
}
