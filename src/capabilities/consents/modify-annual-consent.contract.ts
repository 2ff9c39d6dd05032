import { Type } from 'typebox'
import {
  amountOrNone,
  ConsentDays,
  ConsentNumber,
  numberOrNone,
} from '#capabilities/consents/consent.wire.ts'
import {
  changeableMembers,
  changesFrom,
  leavesAsItIs,
  modifying,
} from '#capabilities/consents/modified-consent.wire.ts'
import type { ConsentChanges } from '#capabilities/consents/modify-consent.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { LeavableAmount } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

const ConsentMods = Type.Object(
  {
    ...changeableMembers,
    NumDays: Type.Optional(ConsentDays('Days from the start.')),
    LimitPerCharge: Type.Optional(LeavableAmount('The most for one charge.')),
    LimitLifeTime: Type.Optional(LeavableAmount('The most for all charges.')),
  },
  { title: 'AnnualConsentMods', description: leavesAsItIs },
)

export const modifyAnnualConsentContract = defineContract({
  ...modifying,
  path: 'ConsentAnnual/Modify',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_ModifyResult',
  access: 'session',
  load: 'change',
  currencyOf: { kind: 'consent', path: 'ConsentID' },
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Modify an annual consent',
  description:
    'Changes expiry, references, term and limits of a consent; the stored card number stays. A limit may ' +
    'be set below what is used: then nothing more fits.',
  request: Type.Object({ ConsentID: ConsentNumber, ConsentMods }),
  example: {
    request: {
      ConsentID: 10,
      ConsentMods: { ExpMonth: 11, ExpYear: 30, Email: 'ann@example.com', NumDays: 0 },
    },
    result: { ModifySuccess: true },
    message: 'Success : Modified Consent ID : 10',
  },
  fromWire: ({ ConsentID, ConsentMods: mods }) => {
    const perCharge = amountOrNone(mods.LimitPerCharge, 'ConsentMods.LimitPerCharge')
    if (!perCharge.ok) return perCharge
    const lifetime = amountOrNone(mods.LimitLifeTime, 'ConsentMods.LimitLifeTime')
    if (!lifetime.ok) return lifetime
    return ok<ConsentChanges>({
      ...changesFrom(ConsentID, mods),
      days: numberOrNone(mods.NumDays),
      limitPerCharge: perCharge.value,
      limitLifetime: lifetime.value,
    })
  },
})
