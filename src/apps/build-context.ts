import type { Installation } from '#apps/open-installation.ts'
import type { Context } from '#capabilities/context.ts'
import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import { batchCompanions } from '#capabilities/batch-companions.ts'
import { followers } from '#capabilities/followers.ts'
import { sessionRecorder, signInReader } from '#capabilities/sessions/share-sign-ins.operation.ts'
import { SessionCache } from '#capabilities/sessions/session-cache.ts'
import { AccountClocks } from '#engine/account-clock/account-clock.ts'
import { simulatorAchBank } from '#engine/acquirers/simulator-ach.connector.ts'
import { simulatorLinkAcquirer } from '#engine/acquirers/simulator-link.connector.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import { merchantReader } from '#engine/merchants/list-merchants.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { scaledPatience } from '#engine/payments/payment-needs.ts'
import { localVault } from '#engine/vault/local-vault.operation.ts'
import { accountId } from '#kernel/ids.ts'
import { systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import type { Log } from '#platform/log.ts'
import type { Notifications } from '#platform/postgres/notifications.ts'

type Parts = {
  readonly config: Config
  readonly log: Log
  readonly installation: Pick<Installation, 'db' | 'keyRing' | 'bank' | 'connection'>
}

// The only place where adapters are made and joined.
export function buildContext({
  config,
  log,
  installation: { db, keyRing, bank, connection },
}: Parts): Context {
  const settling = {
    keyRing,
    vault: localVault({ keyRing }),
    merchantReads: merchantReader({ db }),
    ...achNeedsFrom(config),
  }
  return {
    ...settling,
    ...paymentEngine({
      db,
      log,
      clock: systemClock,
      accountClock: new AccountClocks(systemClock),
      acquirer:
        config.bankAddress === ''
          ? simulatorAcquirer({ bank })
          : simulatorLinkAcquirer({ address: { path: config.bankAddress } }),
      followers,
      patience: scaledPatience(config.patiencePercent),
      crashpoint: () => undefined,
    }),
    connection,
    batchCompanions: batchCompanions(settling),
    signInReads: signInReader({ db }),
    newSessions: sessionRecorder({ db }),
    sessionCache: new SessionCache(),
    failedSignInsPerMinute: hasRateLimits(config) ? config.failedSignInsPerMinute : null,
  }
}

function achNeedsFrom({ achBankRouting, achBankName, achCompanyId, mode }: Config): AchNeeds {
  return {
    achOrigin: { bankRouting: achBankRouting, bankName: achBankName, companyId: achCompanyId },
    achBank: mode === 'sandbox' ? simulatorAchBank : null,
  }
}

export function hasRateLimits({ rateLimits, mode }: Config): boolean {
  return rateLimits === 'on' || (rateLimits === 'auto' && mode === 'live')
}

// Sessions that end on any node are forgotten here as soon as the notification comes.
export function forgetEndedSessions({ sessionCache }: Context, notifications: Notifications): void {
  notifications.on('tillgate_sessions', (account) =>
    account === null ? sessionCache.forgetAll() : sessionCache.forgetAccount(accountId(BigInt(account))),
  )
}
