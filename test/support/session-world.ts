import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { queuePosts } from '#capabilities/webhooks/queue-posts.operation.ts'
import type { Context } from '#capabilities/context.ts'
import { issueToken, type TokenWish } from '#capabilities/sessions/issue-token.operation.ts'
import {
  sessionReader,
  sessionRecorder,
  signInReader,
} from '#capabilities/sessions/share-sign-ins.operation.ts'
import { SessionCache, sessionMemory } from '#capabilities/sessions/session-cache.ts'
import { type Account, accountDefaults, type AccountSettings } from '#engine/merchants/account.ts'
import { addMerchant } from '#engine/merchants/add-merchant.operation.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { CardMemory } from '#engine/card-tries/card-tries.ts'
import { AccountClocks } from '#engine/account-clock/account-clock.ts'
import { simulatorAchBank } from '#engine/acquirers/simulator-ach.connector.ts'
import { simulatorBankPages, simulatorPayerBank } from '#engine/acquirers/simulator-payer.connector.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import { orderReader } from '#engine/orders/follow-order.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { usualPatience } from '#engine/payments/payment-needs.ts'
import { localVault } from '#engine/vault/local-vault.operation.ts'
import { consentReader } from '#capabilities/consents/find-consent.operation.ts'
import { batchCompanions } from '#capabilities/batch-companions.ts'
import { linkAddress } from '#capabilities/links/link-code.operation.ts'
import { SearchTurns } from '#capabilities/search/search-turns.ts'
import { outboxSender } from '#capabilities/messages/outbox.connector.ts'
import { TriesUnderWay } from '#capabilities/form-payments/tries-under-way.ts'
import { formMessages } from '#capabilities/forms/form-message.wire.ts'
import { followers } from '#capabilities/followers.ts'
import { Bank } from '../../simulator/bank.ts'
import { memoryChallenges } from '../../simulator/challenge.ts'
import { openMemoryLog } from '../../simulator/memory-log.ts'
import { PayerBank } from '../../simulator/payer-bank.ts'
import { merchantReader } from '#engine/merchants/list-merchants.operation.ts'
import { merchantDefaults, type MerchantSettings } from '#engine/merchants/merchant.ts'
import { currencyCode } from '#kernel/currency.ts'
import type { Secret } from '#kernel/secret.ts'
import { type KeyRing, openKeyRing } from '#platform/crypto/key-ring.ts'
import { requestSender } from '#platform/outbound/send-request.ts'
import { Remembered } from '#platform/remembered.ts'
import type { Log } from '#platform/log.ts'
import { type TestClock, testClock } from './test-clock.ts'
import { type TestDatabase, useTestDatabase } from './test-database.ts'

export type LogLine = { readonly fields: object; readonly text: string }
export type World = Context & {
  readonly clock: TestClock
  readonly bank: Bank
  readonly payerBank: PayerBank
  readonly lines: LogLine[]
}

// Everything that operations need, on a database of its own and with a clock that stands still. Every call
// of the answered function makes a fresh world, so that tests share nothing but the database.
export function useWorld(): () => World {
  return useWorldOn(useTestDatabase())
}

export function useWorldOn(database: () => TestDatabase): () => World {
  let keyRing: KeyRing | null = null
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillgate-keys-'))
    keyRing = await openKeyRing(folder, 'sandbox')
  })
  after(() => rm(folder, { recursive: true, force: true }))
  return () => {
    const { db, connection } = database()
    if (!keyRing) throw new Error('The key ring exists only while tests run')
    const lines: LogLine[] = []
    const clock = testClock()
    const accountClock = new AccountClocks(clock)
    const log = logInto(lines)
    const bank = new Bank({ log: openMemoryLog(), clock })
    const settling = {
      keyRing,
      vault: localVault({ keyRing }),
      merchantReads: merchantReader({ db }),
      achOrigin: { bankRouting: '110000000', bankName: 'SANDBOX BANK', companyId: '1000000001' },
      achBank: simulatorAchBank,
      bankAccountDays: 180,
    }
    const engine = paymentEngine({
      db,
      batchDb: db,
      clock,
      accountClock,
      log,
      acquirer: simulatorAcquirer({ bank }),
      followers,
      patience: usualPatience,
      crashpoint: () => undefined,
    })
    return {
      ...settling,
      ...engine,
      clock,
      bank,
      movedClocks: accountClock,
      ...payerBankOn(clock),
      sending: { hold: null },
      connection,
      deliveryDb: db,
      sendRequest: requestSender({ mode: 'sandbox' }),
      lines,
      ...readersOn(db),
      batchCompanions: batchCompanions({ ...settling, ...engine }),
      ...sessionsOn(db),
      ...addressesWith(keyRing),
      formMessages,
      queuePosts,
      senders: { text: outboxSender, email: outboxSender },
      textApiToken: null,
      ...guards(),
    }
  }
}

function readersOn(db: World['db']) {
  return { consentReads: consentReader({ db }), orderReads: orderReader({ db }) }
}

function guards() {
  return {
    hasFormLimits: false,
    triesUnderWay: new TriesUnderWay(),
    cardTries: { memory: new CardMemory(), holdsBack: false },
    searchTurns: new SearchTurns({ atOnce: 2 }),
    failedSignInsPerMinute: null,
  }
}

function sessionsOn(db: World['db']) {
  return {
    signInReads: signInReader({ db }),
    newSessions: sessionRecorder({ db }),
    sessionReads: sessionReader({ db }),
    sessionCache: new SessionCache(new Remembered(sessionMemory)),
  }
}

function addressesWith(keyRing: KeyRing) {
  const publicAddress = { url: 'https://pay.example' }
  const linkAddressOf = (linkId: bigint) => linkAddress({ keyRing, publicAddress }, { linkId })
  return { publicAddress, linkAddressOf }
}

function payerBankOn(clock: TestClock) {
  const bank = new PayerBank({ challenges: memoryChallenges(), clock })
  return {
    payerBank: bank,
    payerAuthentication: simulatorPayerBank({ bank }),
    bankPages: simulatorBankPages({ bank }),
  }
}

function logInto(lines: LogLine[]): Log {
  const note = (fields: object, text: string) => {
    lines.push({ fields, text })
  }
  return { debug: note, info: note, warn: note, error: note }
}

let accountsMade = 0

// An account with one merchant record in New York. Its code is counted and not drawn, so that no two meet.
export async function makeAccount(world: World, settings: Partial<AccountSettings> = {}): Promise<Account> {
  accountsMade += 1
  const accountCode = `TG${1_000_000 + accountsMade}`
  const made = await createAccount(world, { accountCode, settings: { ...accountDefaults, ...settings } })
  if (!made.ok) throw new Error(`No account: ${made.refusal.kind}`)
  await makeMerchant(world, made.value)
  return made.value
}

export async function makeMerchant(
  world: World,
  account: Account,
  changes: Partial<MerchantSettings> = {},
): Promise<void> {
  const currency = currencyCode('USD')
  if (!currency) throw new Error('No dollars')
  const settings = {
    ...merchantDefaults(currency),
    name: 'Corner Books',
    location: 'Main Street',
    address: '1 Main Street, Springfield',
    terminalId: 'T1',
    timeZone: 'America/New_York',
    takesAch: true,
    ...changes,
  }
  const added = await addMerchant(world, { account: account.accountId, settings })
  if (!added.ok) throw new Error(`No merchant record: ${added.refusal.kind}`)
}

export async function makeToken(
  world: World,
  account: Account,
  wish: Partial<TokenWish> = {},
): Promise<Secret> {
  const usual = { alias: 'till', merchant: null, description: 'Till 1', issuer: 'tester' }
  const issued = await issueToken(world, { account, ...usual, ...wish })
  if (!issued.ok) throw new Error(`No token: ${issued.refusal.kind}`)
  return issued.value.token
}
