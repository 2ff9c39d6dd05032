import { Type } from 'typebox'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFlag } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

export const endSessionContract = defineContract({
  path: 'Session/End',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Session_EndResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'End the session',
  description: 'Ends the session that the call is made with. Its key is refused from then on, on every node.',
  request: Type.Object({}),
  result: Type.Object({ SessionEnded: WireFlag('The session is over.') }),
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited'],
  example: { request: {}, result: { SessionEnded: true }, message: 'Session ended' },
  fromWire: () => ok(null),
  toWire: () => ({ message: 'Session ended', members: { SessionEnded: true } }),
  refusedToWire: () => ({ SessionEnded: false }),
})
