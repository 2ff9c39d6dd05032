import assert from 'node:assert/strict'
import { chargeStoredCardContract } from '#capabilities/consents/charge-stored-card.contract.ts'
import { chargeStoredCard } from '#capabilities/consents/charge-stored-card.operation.ts'
import { type Consent, consentId, type ConsentId } from '#capabilities/consents/consent.ts'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import { createAnnualConsent } from '#capabilities/consents/create-annual-consent.operation.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { resolveSession } from '#capabilities/sessions/resolve-session.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { WireOf } from '#capabilities/wire/scalars.wire.ts'
import type { Account, AccountSettings } from '#engine/merchants/account.ts'
import type { CallerKey } from '#engine/payments/attempt.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { usualPatience } from '#engine/payments/payment-needs.ts'
import { apiUserId, merchantNumber, tokenId } from '#kernel/ids.ts'
import { bool, int4, int8, nullable, text } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeAccount, makeToken, type World } from './session-world.ts'

type Creator = WireOf<typeof createAnnualConsentContract.request>['ConsentCreator']
type CardInfo = WireOf<typeof createAnnualConsentContract.request>['ccCardInfo']

const goodCard: CardInfo = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 }

// The user of a token, as a session would tell.
const userStatement = statement(
  'test_user_of_account',
  [int8],
  { api_user_id: int8 },
  `select api_user_id from api_user where account_id = $1 order by 1 limit 1`,
)

export type CallerChanges = { readonly merchant?: number; readonly key?: string }

// Somebody who has signed in to this account.
export async function makeCaller(
  world: World,
  account: Account,
  { merchant, key }: CallerChanges = {},
): Promise<Caller> {
  const [known] = await world.db.run(userStatement, [account.accountId])
  if (!known) await makeToken(world, account)
  const [user] = known ? [known] : await world.db.run(userStatement, [account.accountId])
  assert.ok(user)
  return {
    accountId: account.accountId,
    userId: apiUserId(user.api_user_id),
    tokenId: tokenId(1n),
    merchantNumber: merchant === undefined ? null : merchantNumber(merchant),
    allowsPartialApprovals: account.allowsPartialApprovals,
    allowsAlternateMerchants: account.allowsAlternateMerchants,
    verifiesCards: account.verifiesCards,
    timeZone: 'America/New_York',
    sessionDigest: Buffer.alloc(32),
    expiresAt: world.clock.now(),
    callerKey: key === undefined ? null : callerKey(key),
    address: '192.0.2.10',
  }
}

// Somebody else of the same account, with a token of his own.
export async function callerOfNewUser(world: World, account: Account, alias: string): Promise<Caller> {
  const token = await makeToken(world, account, { alias })
  const visitor = { address: '192.0.2.10' }
  const signedIn = await authenticate(world, visitor, { accountCode: account.accountCode, token })
  assert.ok(signedIn.ok)
  const found = await resolveSession(world, { ...visitor, sessionKey: signedIn.value.sessionKey })
  assert.ok(found.ok)
  return found.value
}

export function callerKey(key: string, operation = 'ConsentAnnual/ChargeStoredCard'): CallerKey {
  return { operation, key, fingerprint: Buffer.from('the same request') }
}

export async function makeCallerOf(world: World, settings: Partial<AccountSettings> = {}): Promise<Caller> {
  return makeCaller(world, await makeAccount(world, settings))
}

type ConsentWish = {
  readonly card?: Partial<CardInfo>
  readonly creator?: Partial<Creator>
  readonly zip?: string
}

// Asks for a consent as the interface would.
export function create(world: World, caller: Caller, { card, creator, zip = '62701' }: ConsentWish = {}) {
  const order = createAnnualConsentContract.fromWire(
    {
      ccCardInfo: { ...goodCard, ...card },
      ConsentCreator: { MerchID: 1, ...creator },
      AcctHolder: {
        Firstname: 'Ann',
        Lastname: 'Example',
        BillIngAdress: { Address1: '1 Elm Street', ZIP: zip },
      },
    },
    caller,
  )
  assert.ok(order.ok)
  return createAnnualConsent(world, caller, order.value)
}

export async function makeConsent(world: World, caller: Caller, wish: ConsentWish = {}): Promise<ConsentId> {
  const made = await create(world, caller, wish)
  assert.ok(made.ok)
  assert.ok(made.value.consentId)
  return made.value.consentId
}

type Charge = Omit<WireOf<typeof chargeStoredCardContract.request>, 'ConsentID' | 'Amounts'> & {
  readonly Amounts: number | WireOf<typeof chargeStoredCardContract.request>['Amounts']
}

// Charges as the interface would; a bare number is an amount without fee.
export function charge(world: World, caller: Caller, consent: ConsentId, { Amounts, ...rest }: Charge) {
  const amounts = typeof Amounts === 'number' ? { BaseAmt: Amounts } : Amounts
  const input = chargeStoredCardContract.fromWire(
    { ConsentID: Number(consent), Amounts: amounts, ...rest },
    caller,
  )
  assert.ok(input.ok)
  return chargeStoredCard(world, caller, input.value)
}

// What the answer says on the wire, refused or not.
export function told(result: Awaited<ReturnType<typeof charge>>) {
  if (result.ok) return { ...chargeStoredCardContract.toWire(result.value), refusal: null }
  const known = result.refusal.known ?? null
  return { members: chargeStoredCardContract.refusedToWire(known), message: '', refusal: result.refusal.kind }
}

// The same world with a bank that nobody waits for.
export function impatient(world: World): World {
  const patience = { ...usualPatience, answerMs: 60, inquiryMs: 60 }
  return { ...world, ...paymentEngine({ ...world, patience }), clock: world.clock }
}

const consentRowStatement = statement(
  'test_consent_row',
  [int8],
  { state: text, used_minor: int8, days: int4, starts_on: text, ends_on: text, is_card_readable: bool },
  `select c.state, c.used_minor, c.days, c.starts_on::text, c.ends_on::text,
     exists (
       select from vault_card v where v.card_id = c.card_id and v.wrapped is not null
     ) as is_card_readable
   from consent c where c.consent_id = $1`,
)

export async function rowOf(db: Database, consent: Consent['consentId']) {
  const [row] = await db.run(consentRowStatement, [consent])
  assert.ok(row)
  return row
}

const postedStatement = statement(
  'test_posted_minor',
  [int8],
  { minor: nullable(int8) },
  `select sum(case when debit = 'acquirer' then amount_minor else -amount_minor end)::int8 as minor
   from posting where account_id = $1`,
)

// What the ledger says the acquirer owes.
export async function postedMinor(db: Database, { accountId }: Caller): Promise<bigint> {
  const [row] = await db.run(postedStatement, [accountId])
  return row?.minor ?? 0n
}

// What stands at the bank.
export async function bankMinor({ bank, clock }: World): Promise<bigint> {
  let sum = 0n
  const now = clock.now()
  for await (const one of bank.log.report(now.subtract({ hours: 9_000 }), now.add({ hours: 1 }))) {
    const stands = one.kind === 'sale' && one.reply.outcome === 'approved' && one.reversedAt === null
    if (stands) sum += one.reply.approvedMinor
  }
  return sum
}

const eventsStatement = statement(
  'test_events_of_account',
  [int8],
  { type: text, object_id: int8 },
  `select type, object_id from event where account_id = $1 order by event_id`,
)

export async function eventsOf(db: Database, { accountId }: Caller): Promise<readonly string[]> {
  return (await db.run(eventsStatement, [accountId])).map(({ type }) => type)
}

const paymentsStatement = statement(
  'test_payments_of_account',
  [int8],
  { payment_id: int8, status: text, result_code: text, total: text },
  `select payment_id, status, result_code, (total_minor / 100.0)::numeric(20, 2)::text as total
   from payment where account_id = $1 order by 1`,
)

// What people find: id, status, code, total in dollars.
export async function paymentsOf(db: Database, { accountId }: Caller): Promise<readonly string[]> {
  const rows = await db.run(paymentsStatement, [accountId])
  return rows.map(
    ({ payment_id: id, status, result_code: code, total }) => `${id} ${status} ${code} ${total}`,
  )
}

const unfinishedStatement = statement(
  'test_unfinished_of_account',
  [int8],
  { consent_id: int8 },
  `select u.consent_id from unfinished_consent u join consent c using (consent_id)
   where c.account_id = $1 order by 1`,
)

export async function unfinishedOf(db: Database, { accountId }: Caller): Promise<readonly ConsentId[]> {
  return (await db.run(unfinishedStatement, [accountId])).map((row) => consentId(row.consent_id))
}
