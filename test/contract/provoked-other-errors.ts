import assert from 'node:assert/strict'
import { initFormContract } from '#capabilities/forms/init-form.contract.ts'
import { randomLetters } from '#platform/crypto/random.ts'
import { until } from '../support/gateway-process.ts'
import type { Answered } from './envelope.ts'
import {
  call,
  linkTo,
  newLink,
  newPhone,
  newSale,
  type Provoking,
  type Shop,
  untilAnswered,
  whileSql,
} from './error-shop.ts'

const missing = 999_999

function initForm(shop: Shop, wish: object, options: object = {}): Promise<Answered> {
  const { InitParams }: { InitParams: { WidOptions: object } } = Object(initFormContract.example.request)
  const WidOptions = { ...InitParams.WidOptions, ...options }
  return call(shop, 'CardSale/InitForm', { InitParams: { ...InitParams, ...wish, WidOptions } })
}

const query = (shop: Shop, Query: string): Promise<Answered> => call(shop, 'Query/Transaction', { Query })

const text = (shop: Shop, Phone: string): Promise<Answered> =>
  call(shop, 'Other/SMSPay', linkTo({ Phone }, 'TEXT'))

const settle = (shop: Shop, MerchID: number): Promise<Answered> =>
  call(shop, 'Settlement/ExecuteBatch_All', { MerchID })

const addHook = (shop: Shop, URL: string): Promise<Answered> => call(shop, 'Webhook/Add', { URL })

const limitTo = (column: string) => ({
  set: `update message_limit set ${column} = 0`,
  reset: `update message_limit set ${column} = 1000`,
})

// At a terminal of the simulated bank that behaves in a way of its own, one more sale is settled until a
// batch is in this state: the terminal is remembered for a moment, and what failed before is settled first.
async function settleAt(
  shop: Shop,
  { terminal, MerchID, state }: { terminal: string; MerchID: number; state: string },
): Promise<Answered> {
  await shop.sql(`update merchant set terminal_id = '${terminal}' where merchant_number = ${MerchID}`)
  let last: Answered | null = null
  const isDone = async (): Promise<boolean> => {
    await newSale(shop, { MerchID })
    last = await settle(shop, MerchID)
    return (await shop.sql(`select 1 from batch where state = '${state}'`)).rows.length > 0
  }
  await until(isDone, { what: `a batch is ${state}` })
  assert(last)
  return last
}

const silent = { terminal: 'SILENT1', MerchID: 1, state: 'unknown' }
const rejecting = { terminal: 'REJECT1', MerchID: 2, state: 'rejected' }

export const provokedOtherErrors: Provoking = {
  batch_unknown: (shop) => settleAt(shop, silent),
  batch_running: async (shop) => {
    await settleAt(shop, silent)
    const set = "update batch set lease_until = now() + interval '1 day' where state = 'unknown'"
    const reset = "update batch set lease_until = now() where state = 'unknown'"
    return whileSql(shop, { set, reset }, { name: 'batch_running', ask: () => settle(shop, 1) })
  },
  batch_altered: async (shop) => {
    await settleAt(shop, rejecting)
    const set = "update batch set content_hash = 'x' || content_hash where state = 'rejected'"
    const reset = "update batch set content_hash = substr(content_hash, 2) where content_hash like 'x%'"
    return whileSql(shop, { set, reset }, { name: 'batch_altered', ask: () => settle(shop, 2) })
  },
  books_disagree: async (shop) => {
    const sale = await newSale(shop)
    const change = (by: number) => `set session_replication_role = replica;
      update journal set amount_minor = amount_minor + ${by} where attempt_id = ${sale};
      set session_replication_role = default`
    const ask = () => call(shop, 'Settlement/ExecuteBatch_Selective', { MerchID: 1, TransactionIDs: [sale] })
    return whileSql(shop, { set: change(1), reset: change(-1) }, { name: 'books_disagree', ask })
  },
  not_settleable: async (shop) => {
    const TxID = await newSale(shop)
    await call(shop, 'CardSale/Void', { TxID })
    const wish = { MerchID: 1, TransactionIDs: [TxID] }
    const ask = () => call(shop, 'Settlement/ExecuteBatch_Selective', wish)
    return untilAnswered('not_settleable', ask)
  },
  record_international: (shop) => settle(shop, 3),

  form_kind_missing: (shop) => initForm(shop, { WTYPE: 'PA' }),
  form_feature_missing: (shop) => initForm(shop, {}, { eFeatures: '0008' }),
  integrator_key_unknown: (shop) => initForm(shop, { EINDEX: '99999' }),

  link_not_found: (shop) => call(shop, 'Link/Withdraw', { LinkID: missing }),
  link_over: async (shop) => {
    const LinkID = await newLink(shop)
    await call(shop, 'Link/Withdraw', { LinkID })
    return call(shop, 'Link/Resend', { LinkID })
  },
  link_without_recipient: async (shop) => call(shop, 'Link/Resend', { LinkID: await newLink(shop) }),
  invalid_phone: (shop) => text(shop, '12'),
  invalid_email: (shop) => call(shop, 'Other/SMSPay', linkTo({ Email: 'ada@localhost' }, 'EMAIL')),
  recipient_stopped: async (shop) => {
    const phone = newPhone()
    await shop.sql(`insert into stopped_phone (phone, stopped_at) values ('${phone}', now())`)
    return text(shop, phone)
  },
  country_not_allowed: (shop) => text(shop, '+4930901820'),
  too_many_messages: (shop) => {
    const ask = () => text(shop, newPhone())
    return whileSql(shop, limitTo('per_hour'), { name: 'too_many_messages', ask })
  },
  too_many_to_recipient: (shop) => {
    const ask = () => text(shop, newPhone())
    return whileSql(shop, limitTo('per_recipient_hour'), { name: 'too_many_to_recipient', ask })
  },

  query_unreadable: (shop) => query(shop, '(A=1'),
  query_too_complex: (shop) => query(shop, Array.from({ length: 65 }, () => '(A=1)').join('||')),
  query_meaningless: (shop) => query(shop, "(A='x')"),
  query_mixes_charts: (shop) => call(shop, 'Intl/QueryTransaction', { Query: '(G=1)&&(H=1)' }),
  query_too_slow: async (shop) => {
    const set = `create function look_slowly() returns bool language plpgsql volatile as $$
        begin raise exception 'canceling statement' using errcode = '57014'; end $$;
      alter table consent rename to consent_table;
      create view consent as select * from consent_table where look_slowly()`
    const reset = `drop view consent; alter table consent_table rename to consent; drop function look_slowly`
    const ask = () => call(shop, 'Query/ConsentAnnual', { Query: '(A=1)' })
    return whileSql(shop, { set, reset }, { name: 'query_too_slow', ask })
  },

  webhook_not_found: (shop) => call(shop, 'Webhook/Disable', { WebhookID: missing }),
  webhook_address_refused: (shop) => addHook(shop, 'ftp://shop.example/'),
  webhook_exists: async (shop) => {
    const address = `http://127.0.0.1:9/${randomLetters()}`
    await addHook(shop, address)
    return addHook(shop, address)
  },
  too_many_webhooks: async (shop) => {
    let last = await addHook(shop, `http://127.0.0.1:9/${randomLetters()}`)
    for (let at = 0; at < 20 && last.FunctionOk; at += 1)
      last = await addHook(shop, `http://127.0.0.1:9/${randomLetters()}`)
    const { Webhooks } = await call(shop, 'Webhook/List', {})
    const hooks: readonly { ID: number }[] = Object(Webhooks)
    assert(hooks.length > 0)
    for (const { ID } of hooks) await call(shop, 'Webhook/Disable', { WebhookID: ID })
    return last
  },
}
