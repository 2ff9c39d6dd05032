import { join } from 'node:path'
import { linkAddress } from '#capabilities/links/link-code.operation.ts'
import { messageSenders } from '#apps/message-senders.ts'
import type { Installation } from '#apps/installation.ts'
import { queuePosts } from '#capabilities/webhooks/queue-posts.operation.ts'
import { SearchTurns } from '#capabilities/search/search-turns.ts'
import type { Context } from '#capabilities/context.ts'
import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import { consentReader } from '#capabilities/consents/find-consent.operation.ts'
import { batchCompanions } from '#capabilities/batch-companions.ts'
import { followers } from '#capabilities/followers.ts'
import { TriesUnderWay } from '#capabilities/form-payments/tries-under-way.ts'
import { formMessages } from '#capabilities/forms/form-message.wire.ts'
import {
  sessionReader,
  sessionRecorder,
  signInReader,
} from '#capabilities/sessions/share-sign-ins.operation.ts'
import { SessionCache, sessionMemory } from '#capabilities/sessions/session-cache.ts'
import { AccountClocks } from '#engine/account-clock/account-clock.ts'
import { CardMemory } from '#engine/card-tries/card-tries.ts'
import { refreshClocks } from '#engine/account-clock/refresh-clocks.operation.ts'
import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import { simulatorAchBank } from '#engine/acquirers/simulator-ach.connector.ts'
import { simulatorLinkAcquirer } from '#engine/acquirers/simulator-link.connector.ts'
import { simulatorBankPages, simulatorPayerBank } from '#engine/acquirers/simulator-payer.connector.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import {
  merchantReader,
  type RememberedMerchants,
  rememberingMerchants,
} from '#engine/merchants/list-merchants.operation.ts'
import { orderReader } from '#engine/orders/follow-order.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { scaledPatience } from '#engine/payments/payment-needs.ts'
import { SendingGuard } from '#engine/restore-guard/guard-sending.operation.ts'
import { pausable } from '#engine/restore-guard/pausable.connector.ts'
import type { SendingGate } from '#engine/restore-guard/sending.ts'
import { localVault } from '#engine/vault/local-vault.operation.ts'
import { accountId } from '#kernel/ids.ts'
import type { Config } from '#platform/config.ts'
import { requestSender } from '#platform/outbound/send-request.ts'
import { Remembered } from '#platform/remembered.ts'
import type { Log } from '#platform/log.ts'
import { BatchCrowd } from '#platform/postgres/batch-crowd.ts'
import type { Notifications } from '#platform/postgres/notifications.ts'
import type { Bank } from '../../simulator/bank.ts'

type Parts = {
  readonly config: Config
  readonly log: Log
  readonly installation: Pick<
    Installation,
    'db' | 'batchDb' | 'recoveryDb' | 'deliveryDb' | 'clock' | 'keyRing' | 'bank' | 'payerBank' | 'connection'
  >
}

// What this node knows of its database, outside of it. Not part of a backup.
export function nodeFileOf({ dataFolder }: Config): string {
  return join(dataFolder, 'node.json')
}

export function sendingGuard(
  { config, log, installation: { recoveryDb: db, clock, connection } }: Parts,
  { isKeeper = true }: { readonly isKeeper?: boolean } = {},
): SendingGuard {
  const stateFile = nodeFileOf(config)
  return new SendingGuard({ db, connection, log, clock, stateFile, isKeeper })
}

// What is learnt or forgotten while the process runs.
type OpenContext = Context & {
  readonly merchantReads: RememberedMerchants
  readonly publicAddress: { url: string }
}

// The only place where adapters are made and joined.
export async function buildContext({
  config,
  log,
  installation: { db, batchDb, deliveryDb, clock, keyRing, bank, payerBank, connection },
  sending,
  isWorker = false,
}: Parts & { readonly sending: SendingGate; readonly isWorker?: boolean }): Promise<OpenContext> {
  const accountClock = new AccountClocks(clock)
  const sendRequest = requestSender({ mode: config.mode })
  const publicAddress = { url: config.baseUrl }
  const settling = {
    keyRing,
    vault: localVault({ keyRing }),
    merchantReads: rememberingMerchants(merchantReader({ db: batchDb }), { clock }),
    ...achNeedsFrom(config),
  }
  const crowd = crowdOf({ isWorker })
  const engine = paymentEngine({
    db,
    batchDb,
    log,
    clock,
    accountClock,
    acquirer: acquirerAt(bank, config, sending),
    followers,
    patience: scaledPatience(config.patiencePercent),
    crashpoint: () => undefined,
    crowd,
  })
  return {
    ...settling,
    ...engine,
    connection,
    deliveryDb,
    sendRequest,
    ...(await messageSenders({ config, log, sendRequest, publicAddress })),
    payerAuthentication: simulatorPayerBank({ bank: payerBank }),
    bankPages: simulatorBankPages({ bank: payerBank }),
    batchCompanions: batchCompanions({ ...settling, ...engine }),
    movedClocks: accountClock,
    sending,
    consentReads: consentReader({ db: batchDb, crowd }),
    orderReads: orderReader({ db: batchDb }),
    signInReads: signInReader({ db }),
    newSessions: sessionRecorder({ db }),
    sessionReads: sessionReader({ db: batchDb }),
    sessionCache: new SessionCache(new Remembered(sessionMemory)),
    publicAddress,
    linkAddressOf: (linkId) => linkAddress({ keyRing, publicAddress }, { linkId }),
    formMessages,
    queuePosts,
    ...guardsFor(config),
  }
}

function acquirerAt(bank: Bank, { bankAddress }: Config, sending: SendingGate): Acquirer {
  const acquirer =
    bankAddress === ''
      ? simulatorAcquirer({ bank })
      : simulatorLinkAcquirer({ address: { path: bankAddress } })
  return pausable(acquirer, sending)
}

// For the demo things of a first start, which are made within one transaction: they ask the bank as payments
// do, but a bank that is told to be slow is slow for payments alone.
export function seedingContext(
  context: Context,
  { config, installation }: Pick<Parts, 'config'> & { installation: Pick<Installation, 'promptBank'> },
): Context {
  return { ...context, acquirer: acquirerAt(installation.promptBank, config, context.sending) }
}

// What keeps some from taking what is there for all.
function guardsFor(config: Config) {
  return {
    hasFormLimits: hasRateLimits(config),
    triesUnderWay: new TriesUnderWay(),
    cardTries: { memory: new CardMemory(), holdsBack: hasRateLimits(config) },
    searchTurns: new SearchTurns({ atOnce: Math.ceil(config.poolSize / 4) }),
    failedSignInsPerMinute: hasRateLimits(config) ? config.failedSignInsPerMinute : null,
  }
}

// A worker has others beside it, and one of them always has something to do.
function crowdOf({ isWorker }: { readonly isWorker: boolean }): BatchCrowd | undefined {
  return isWorker ? undefined : new BatchCrowd()
}

function achNeedsFrom(config: Config): AchNeeds {
  const { achBankRouting, achBankName, achCompanyId, bankAccountDays, mode } = config
  return {
    achOrigin: { bankRouting: achBankRouting, bankName: achBankName, companyId: achCompanyId },
    achBank: mode === 'sandbox' ? simulatorAchBank : null,
    bankAccountDays,
  }
}

export function hasRateLimits({ rateLimits, mode }: Config): boolean {
  return rateLimits === 'on' || (rateLimits === 'auto' && mode === 'live')
}

// Clocks that are moved on any node are moved here as soon as the notification comes.
export function followMovedClocks(context: Context, notifications: Notifications): void {
  const refresh = () => {
    refreshClocks(context).catch((error: unknown) =>
      context.log.warn({ err: error }, 'The clocks of accounts could not be read'),
    )
  }
  notifications.on('tillgate_clocks', refresh)
  notifications.onGap(refresh)
}

// Whatever comes back after the connection broke may be another database.
export function distrustAfterOutage(guard: SendingGuard, notifications: Notifications): void {
  notifications.onGap(() => guard.distrust())
}

// Sessions that end, and accounts and merchant records that change, on any node are forgotten here as soon
// as the notification comes.
export function forgetWhatChanges(
  { sessionCache, merchantReads }: Awaited<ReturnType<typeof buildContext>>,
  notifications: Notifications,
): void {
  const forgetSessions = (account: string) => sessionCache.forgetAccount(accountId(BigInt(account)))
  notifications.on('tillgate_sessions', forgetSessions)
  notifications.on('tillgate_merchants', (account) => merchantReads.forget(accountId(BigInt(account))))
  // A session knows the time zone of record 1.
  notifications.on('tillgate_merchants', forgetSessions)
  notifications.onGap(() => {
    sessionCache.forgetAll()
    merchantReads.forgetAll()
  })
}
