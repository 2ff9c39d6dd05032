import type pg from 'pg'
import { assert } from '#kernel/assert.ts'

// What the database holds about some accounts, read by plain SQL.

export type AttemptRow = {
  readonly id: bigint
  readonly kind: string
  readonly parent: bigint | null
  readonly ref: string
  readonly subjectRef: string
  readonly state: string
  readonly fence: number
  readonly total: bigint
  readonly fee: bigint
  readonly resultCode: string
  readonly approved: bigint
  readonly approvedFee: bigint
  readonly following: readonly (readonly [string, string])[]
  readonly createdAtMs: number
  readonly isOwned: boolean
}

export type HistoryRow = {
  readonly attempt: bigint
  readonly from: string
  readonly to: string
  readonly fence: number
  readonly isLate: boolean
}

export type PostingRow = {
  readonly attempt: bigint
  readonly debit: string
  readonly credit: string
  readonly amount: bigint
}

export type PaymentRow = {
  readonly id: bigint
  readonly status: string
  readonly total: bigint
  readonly fee: bigint
  readonly takenBy: string | null
  readonly credited: bigint
  readonly creditedFee: bigint
}

export type InstalmentRow = {
  readonly id: string
  readonly state: string
  readonly numbered: number
  // Those that reached the bank.
  readonly tries: number
}

export type OrderRow = {
  readonly id: string
  readonly state: string
  readonly saleRef: string | null
  readonly takenBy: string | null
  readonly isBanked: boolean
}

export type RecordRow = {
  readonly order: string
  readonly action: string
  readonly status: string
  readonly amount: bigint
  readonly attemptRef: string
  readonly isBanked: boolean
  readonly awaitsBank: boolean
}

export type Rows = {
  readonly attempts: readonly AttemptRow[]
  readonly history: readonly HistoryRow[]
  readonly postings: readonly PostingRow[]
  readonly payments: readonly PaymentRow[]
  readonly events: readonly { readonly type: string; readonly object: bigint }[]
  readonly keys: readonly { readonly key: string; readonly ref: string }[]
  readonly limits: ReadonlyMap<string, bigint>
  readonly instalments: readonly InstalmentRow[]
  readonly orders: readonly OrderRow[]
  readonly records: readonly RecordRow[]
}

type Raw = Readonly<Record<string, string | null>>

// Everything is asked for as text, so that nothing is rounded on the way.
const questions = {
  attempts: `
    select a.attempt_id::text as id, kind, parent_id::text as parent, acquirer_ref as ref, subject_ref,
      result_code, state, fence::text, total_minor::text as total, fee_minor::text as fee,
      approved_minor::text as approved,
      approved_fee_minor::text as approved_fee, following::text, (u.attempt_id is not null)::text as owned,
      (extract(epoch from created_at) * 1000)::text as created_ms
    from attempt a left join unresolved_attempt u on u.attempt_id = a.attempt_id
    where account_id = any($1::int8[]) order by a.attempt_id`,
  history: `
    select e.attempt_id::text as attempt, from_state, to_state, e.fence::text, is_late::text as late
    from attempt_event e join attempt a on a.attempt_id = e.attempt_id
    where a.account_id = any($1::int8[]) order by attempt_event_id`,
  postings: `
    select attempt_id::text as attempt, debit, credit, amount_minor::text as amount
    from posting where account_id = any($1::int8[])`,
  payments: `
    select payment_id::text as id, status, total_minor::text as total, fee_minor::text as fee, taken_by,
      credited_minor::text as credited, credited_fee_minor::text as credited_fee
    from payment where account_id = any($1::int8[])`,
  events: `
    select type, object_id::text as object from event where account_id = any($1::int8[])`,
  keys: `
    select key, acquirer_ref as ref from idempotency where account_id = any($1::int8[])`,
  instalments: `
    select instalment_id::text as id, state, attempts::text as numbered, tries::text
    from instalment where account_id = any($1::int8[])`,
  orders: `
    select order_id::text as id, state, sale_ref, taken_by, (bank_at is not null)::text as banked
    from card_order where account_id = any($1::int8[]) order by order_id`,
  records: `
    select order_id::text as order, action, status, amount_minor::text as amount, attempt_ref,
      (bank_at is not null)::text as banked, awaits_bank::text as awaits
    from order_record where account_id = any($1::int8[]) order by record_id`,
  limits: `
    select limit_id::text as id, used::text from test_limit where limit_id = any($1::int8[])`,
}

// All at once and prepared, because thousands of histories are read.
const question = {
  name: 'rows_of_accounts',
  text: `select ${Object.entries(questions)
    .map(([name, sql]) => `(select coalesce(json_agg(found), '[]') from (${sql}) as found) as ${name}`)
    .join(', ')}`,
}

type Found = Readonly<Record<keyof typeof questions, readonly Raw[]>>

export async function readRows(client: pg.Client, accounts: readonly bigint[]): Promise<Rows> {
  const { rows } = await client.query<Found>({ ...question, values: [accounts.map(String)] })
  const [found] = rows
  assert(found, 'the question has an answer')
  return {
    attempts: found.attempts.map(attemptRow),
    history: found.history.map(historyRow),
    postings: found.postings.map(postingRow),
    payments: found.payments.map(paymentRow),
    events: found.events.map((row) => ({ type: text(row['type']), object: big(row['object']) })),
    keys: found.keys.map((row) => ({ key: text(row['key']), ref: text(row['ref']) })),
    instalments: found.instalments.map(instalmentRow),
    orders: found.orders.map(orderRow),
    records: found.records.map(recordRow),
    limits: new Map(found.limits.map((row) => [text(row['id']), big(row['used'])])),
  }
}

function postingRow(row: Raw): PostingRow {
  return {
    attempt: big(row['attempt']),
    debit: text(row['debit']),
    credit: text(row['credit']),
    amount: big(row['amount']),
  }
}

function instalmentRow(row: Raw): InstalmentRow {
  return {
    id: text(row['id']),
    state: text(row['state']),
    numbered: Number(row['numbered']),
    tries: Number(row['tries']),
  }
}

function orderRow(row: Raw): OrderRow {
  return {
    id: text(row['id']),
    state: text(row['state']),
    saleRef: row['sale_ref'] ?? null,
    takenBy: row['taken_by'] ?? null,
    isBanked: row['banked'] === 'true',
  }
}

function recordRow(row: Raw): RecordRow {
  return {
    order: text(row['order']),
    action: text(row['action']),
    status: text(row['status']),
    amount: big(row['amount']),
    attemptRef: text(row['attempt_ref']),
    isBanked: row['banked'] === 'true',
    awaitsBank: row['awaits'] === 'true',
  }
}

function historyRow(row: Raw): HistoryRow {
  return {
    attempt: big(row['attempt']),
    from: text(row['from_state']),
    to: text(row['to_state']),
    fence: Number(row['fence']),
    isLate: row['late'] === 'true',
  }
}

function paymentRow(row: Raw): PaymentRow {
  return {
    id: big(row['id']),
    status: text(row['status']),
    total: big(row['total']),
    fee: big(row['fee']),
    takenBy: row['taken_by'] ?? null,
    credited: big(row['credited']),
    creditedFee: big(row['credited_fee']),
  }
}

function attemptRow(row: Raw): AttemptRow {
  return {
    id: big(row['id']),
    kind: text(row['kind']),
    parent: row['parent'] ? BigInt(row['parent']) : null,
    ref: text(row['ref']),
    subjectRef: text(row['subject_ref']),
    state: text(row['state']),
    fence: Number(row['fence']),
    total: big(row['total']),
    fee: big(row['fee']),
    resultCode: text(row['result_code']),
    approved: big(row['approved']),
    approvedFee: big(row['approved_fee']),
    following: pairs(text(row['following'])),
    createdAtMs: Number(row['created_ms']),
    isOwned: row['owned'] === 'true',
  }
}

// [["limit", "7"], ["parent", "12"]]
function pairs(json: string): readonly (readonly [string, string])[] {
  return Array.from(json.matchAll(/\["(\w+)", "(\d+)"\]/g), ([, name = '', subject = '']) => [name, subject])
}

function text(value: string | null | undefined): string {
  return value ?? ''
}

function big(value: string | null | undefined): bigint {
  return BigInt(value ?? 0)
}
