import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { queryRecurringConsents } from '#capabilities/search/query-recurring-consents.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import { makePlan } from '../../../test/support/plan-world.ts'
import { firstPage, tellingPlans } from '../../../test/support/searching.ts'
import { useWorldOn } from '../../../test/support/session-world.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'
import { withClient } from '../../../test/support/with-client.ts'

// Copies of one consent with a plan, each an hour older than the one before and with a reference of its own.
const copies = `
  with copied as (
    insert into consent (account_id, merchant_number, kind, state, card_id, currency, limit_per_charge_minor,
      limit_lifetime_minor, starts_on, ends_on, days, customer_ref, service, guid, holder_first_name,
      holder_last_name, customer_first_name, customer_last_name, company, email, phone, street, zip,
      creation_ref, created_by_user, agreed_at, agreed_from, created_at, changed_at)
    select account_id, merchant_number, kind, state, card_id, currency, limit_per_charge_minor,
      limit_lifetime_minor, starts_on, ends_on, days, 'C-' || n, service, 'G-' || n, holder_first_name,
      'Payer' || n, customer_first_name, customer_last_name, company, email, phone, street, zip,
      'copy-' || n, created_by_user, agreed_at, agreed_from, created_at - n * interval '1 hour', changed_at
    from consent, generate_series(1, 8000) n where consent_id = $1
    returning consent_id
  ), planned as (
    insert into plan (account_id, merchant_number, consent_id, state, period, starts_on, payments, currency,
      agreed_minor, total_minor, payment_minor, created_at, changed_at)
    select p.account_id, p.merchant_number, c.consent_id, p.state, p.period, p.starts_on, p.payments,
      p.currency, p.agreed_minor, p.total_minor, p.payment_minor, p.created_at, p.changed_at
    from plan p, copied c where p.consent_id = $1
    returning plan_id, consent_id
  )
  insert into instalment (plan_id, account_id, merchant_number, consent_id, payment_number, state, due_on,
    attempt_on, collect_on, amount_minor, currency, because, created_at, changed_at)
  select p.plan_id, i.account_id, i.merchant_number, p.consent_id, i.payment_number, 'cancelled', i.due_on,
    i.attempt_on, i.collect_on, i.amount_minor, i.currency, i.because, i.created_at, i.changed_at
  from instalment i, planned p where i.consent_id = $1`

describe('with many plans', () => {
  const database = useTestDatabase()
  const world = useWorldOn(database)
  let caller: Caller
  before(async () => {
    caller = await makeCallerOf(world())
    const { consent } = await makePlan(world(), caller)
    await withClient(database().connection, async (client) => {
      await client.query(copies, [consent])
      await client.query('analyze consent, plan, instalment, attempt, vault_card, api_user')
    })
  })

  for (const [words, query, index] of [
    ['by reference', "(F='C-4321')", 'consent_by_customer_ref'],
    ['by reference, if enabled', "(F='C-4321')&&(H='True')", 'consent_by_customer_ref'],
    ['by last name, if enabled', "(D='Payer4321')&&(H='True')", 'consent_by_name'],
    ['by day, if over', "(E>='2027-01-14')&&(H='False')", 'consent_by_time'],
  ] as const) {
    test(`a plan is found ${words}, by an index, and its payments by theirs`, async () => {
      const { db, plans } = tellingPlans(database().db)
      assert((await queryRecurringConsents({ ...world(), db }, caller, firstPage(query))).ok)
      const [plan = ''] = plans
      assert.match(plan, new RegExp(index), plan)
      assert.match(plan, /instalment_plan_id_payment_number_key/, plan)
      assert.doesNotMatch(plan, /Seq Scan on (consent|plan|instalment)/, plan)
    })
  }

  test('the one that is enabled is found among all that are over', async () => {
    const found = await queryRecurringConsents(world(), caller, firstPage("(H='True')"))
    assert(found.ok)
    assert.deepEqual(
      found.value.records.map(({ isEnabled, customerRef }) => [isEnabled, customerRef]),
      [[true, '']],
    )
  })
})
