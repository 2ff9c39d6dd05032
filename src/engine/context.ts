import type { MerchantReads } from '#engine/merchants/list-merchants.operation.ts'
import type { Clock } from '#platform/clock.ts'
import type { KeyRing } from '#platform/crypto/key-ring.ts'
import type { Log } from '#platform/log.ts'
import type { Database } from '#platform/postgres/database.ts'

// What the outside world gives to the engine and to every capability. Built once, in apps/build-context.ts.
// An operation never takes all of it: it names what it needs.
export type EngineContext = {
  readonly db: Database
  readonly clock: Clock
  readonly keyRing: KeyRing
  readonly log: Log
  readonly merchantReads: MerchantReads
}
