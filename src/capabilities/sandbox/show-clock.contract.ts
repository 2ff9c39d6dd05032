import { Type } from 'typebox'
import {
  clockExample,
  ClockMembers,
  clockToWire,
  noClockToWire,
} from '#capabilities/sandbox/account-clock.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { ClockState } from '#engine/account-clock/move-clock.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import { ok } from '#kernel/result.ts'

export const showClockContract = defineContract({
  path: 'clock',
  prefix: '/sandbox/',
  resultKey: 'ClockResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Show the clock',
  description: 'Tells what the clock of the account shows and what its last move brought.',
  request: Type.Object({}),
  result: ClockMembers,
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited', 'clock_is_live'],
  example: { request: {}, result: clockExample, message: 'It is 2027-01-31T00:00:00.000Z' },
  fromWire: () => ok(null),
  toWire: (clock: ClockState) => ({
    message: `It is ${printMoment(clock.now)}`,
    members: clockToWire(clock),
  }),
  refusedToWire: () => noClockToWire(),
})
