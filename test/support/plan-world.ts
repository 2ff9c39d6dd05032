import assert from 'node:assert/strict'
import { processDuePaymentsContract } from '#capabilities/collection/process-due-payments.contract.ts'
import { processDuePayments } from '#capabilities/collection/process-due-payments.operation.ts'
import { processSelectedPaymentsContract } from '#capabilities/collection/process-selected-payments.contract.ts'
import { processSelectedPayments } from '#capabilities/collection/process-selected-payments.operation.ts'
import { createRecurringConsentContract } from '#capabilities/recurring/create-recurring-consent.contract.ts'
import {
  createRecurringConsent,
  type CreatedPlan,
} from '#capabilities/recurring/create-recurring-consent.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { WireOf } from '#capabilities/wire/scalars.wire.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int4, int8, jsonb, nullable, text } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import type { World } from './session-world.ts'

type Creator = WireOf<typeof createRecurringConsentContract.request>['ConsentCreator']

export type PlanWish = Partial<Creator> & {
  readonly card?: string
  readonly csv?: string
  readonly expYear?: number
}

// Asks for a plan as the interface would: three monthly payments of 100.00 in all, unless something else is
// wished for.
export function createPlan(
  world: World,
  caller: Caller,
  { card, csv, expYear = 2040, ...wish }: PlanWish = {},
) {
  const order = createRecurringConsentContract.fromWire(
    {
      ccCardInfo: {
        AccountNumber: card ?? '4111111111111111',
        ExpMonth: 12,
        ExpYear: expYear,
        ...(csv === undefined ? {} : { CSV: csv }),
      },
      ConsentCreator: { MerchID: 1, NumPayments: 3, TotalAmount: 100, Period: 'MONTHLY', ...wish },
      AcctHolder: { Firstname: 'Ann', Lastname: 'Example', BillIngAdress: { ZIP: '62701' } },
    },
    caller,
  )
  assert.ok(order.ok, order.ok ? '' : String(order.refusal.details['problem']))
  return createRecurringConsent(world, caller, order.value)
}

export type MadePlan = {
  readonly consent: number
  readonly schedule: WireOf<typeof createRecurringConsentContract.result>['MySched']
  readonly created: CreatedPlan
}

export async function makePlan(world: World, caller: Caller, wish: PlanWish = {}): Promise<MadePlan> {
  const made = await createPlan(world, caller, wish)
  assert.ok(made.ok)
  const { members } = createRecurringConsentContract.toWire(made.value)
  return { consent: members.ConsentID, schedule: members.MySched, created: made.value }
}

// ProcessScheduledPayments, as it answers on the wire.
export async function processDue(world: World, caller: Caller, merchant = 1) {
  const result = await processDuePayments(world, caller, { merchant: merchantNumber(merchant) })
  assert.ok(result.ok)
  return processDuePaymentsContract.toWire(result.value)
}

// ProcessScheduledPaymentsSelective; a refusal is told by its kind.
export async function processSelected(world: World, caller: Caller, SchedIDs: readonly number[]) {
  const input = processSelectedPaymentsContract.fromWire({ SchedIDs: [...SchedIDs] }, caller)
  assert.ok(input.ok)
  const result = await processSelectedPayments(world, caller, input.value)
  if (result.ok) return { refusal: null, state: '', ...processSelectedPaymentsContract.toWire(result.value) }
  const { kind, details } = result.refusal
  return { refusal: kind, state: details['state'], message: '', members: null }
}

const instalmentRowsStatement = statement(
  'test_instalments_of_consent',
  [int8],
  {
    instalment_id: int8,
    payment_number: int4,
    state: text,
    due_on: text,
    attempt_on: text,
    collect_on: text,
    announce_on: nullable(text),
    amount_minor: int8,
    tries: int4,
    because: text,
  },
  `select instalment_id, payment_number, state, due_on::text, attempt_on::text, collect_on::text,
     announce_on::text, amount_minor, tries, because
   from instalment where consent_id = $1 order by payment_number`,
)

export function instalmentsOf(db: Database, consent: number) {
  return db.run(instalmentRowsStatement, [BigInt(consent)])
}

const scheduleEventsStatement = statement(
  'test_schedule_events',
  [int8],
  { type: text, object_id: int8, body: jsonb },
  `select type, object_id, body from event where account_id = $1 and type like 'schedule.%' order by event_id`,
)

export async function scheduleEventsOf(db: Database, { accountId }: Caller) {
  const rows = await db.run(scheduleEventsStatement, [accountId])
  return rows.map(({ type, object_id, body }) => ({
    type,
    instalment: object_id,
    body: wordsOf(body),
  }))
}

function wordsOf(body: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(Object(body)).map(([name, value]) => [name, String(value)])
  return Object.fromEntries(entries)
}

// Moves the clock forward to this moment.
export function advanceTo({ clock }: World, moment: string): void {
  clock.advance(Temporal.Instant.from(moment).since(clock.now()))
}
