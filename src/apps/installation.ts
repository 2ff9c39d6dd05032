import type { KeyRing } from '#platform/crypto/key-ring.ts'
import type { Connection } from '#platform/postgres/connection.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { DatabaseClock } from '#platform/postgres/database-clock.ts'
import type { DiskRoom } from '#platform/postgres/disk-room.ts'
import type { Bank } from '../../simulator/bank.ts'
import type { PayerBank } from '../../simulator/payer-bank.ts'

// What a gateway and every command work on.
export type Installation = {
  readonly connection: Connection
  readonly db: Database
  // For the batches that charges share: a rush of other calls never takes their connections.
  readonly batchDb: Database
  // For what resolves payments and decides whether any may be sent: however many searches there are, it has
  // its connections.
  readonly recoveryDb: Database
  // For webhooks: receivers that are slow keep nobody else waiting for a connection.
  readonly deliveryDb: Database
  // Measured when it was opened.
  readonly clock: DatabaseClock
  readonly disk: DiskRoom
  readonly keyRing: KeyRing
  // The card network in the box: its own connection, its own schema.
  readonly bank: Bank
  // The same for whoever sets up demo things: it never takes the time that the other is told to take.
  readonly promptBank: Bank
  // The other desk of it, which knows the payers.
  readonly payerBank: PayerBank
  // Made just now: whoever expected an old one has mistyped a folder or an address.
  readonly isNew: boolean
  // The process of the gateway that runs from the data folder, where this is a command beside it.
  readonly gatewayProcess: number | null
  close(): Promise<void>
}
