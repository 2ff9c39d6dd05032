import { Type } from 'typebox'
import type { SessionReport } from '#capabilities/sessions/query-session.operation.ts'
import {
  merchantExample,
  MerchantRecord,
  merchantToWire,
  userExample,
  UserRecord,
  userToWire,
} from '#capabilities/sessions/signed-in.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { orNull, WireMoment } from '#capabilities/wire/scalars.wire.ts'
import { printMoment, printUsMoment } from '#kernel/calendar.ts'
import { ok } from '#kernel/result.ts'

export const querySessionContract = defineContract({
  path: 'Session/Query',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Session_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query the session',
  description:
    'Tells who the session key belongs to, which merchant records it works for, and when it expires.',
  request: Type.Object({}),
  result: Type.Object({
    ExpiresOn: orNull(WireMoment('When the session expires.')),
    MerchantList: Type.Array(MerchantRecord, { description: 'The merchant records this caller works for.' }),
    ThisUser: orNull(UserRecord),
  }),
  refusals: ['session_invalid', 'session_elsewhere', 'rate_limited'],
  example: {
    request: {},
    result: { ExpiresOn: '2026-11-16T10:00:00.000Z', MerchantList: [merchantExample], ThisUser: userExample },
    message: 'SessKey Expires|11/16/2026 10:00:00 AM',
  },
  fromWire: () => ok(null),
  toWire: (report: SessionReport) => ({
    message: `SessKey Expires|${printUsMoment(report.expiresAt)}`,
    members: {
      ExpiresOn: printMoment(report.expiresAt),
      MerchantList: report.merchants.map(merchantToWire),
      ThisUser: userToWire(report.user),
    },
  }),
  refusedToWire: () => ({ ExpiresOn: null, MerchantList: [], ThisUser: null }),
})
