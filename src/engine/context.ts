import type { AccountClocks } from '#engine/account-clock/account-clock.ts'
import type { BankPages, PayerAuthentication } from '#engine/acquirers/payer-authentication.ts'
import type { CardTries } from '#engine/card-tries/guard-card.operation.ts'
import type { MerchantReads } from '#engine/merchants/list-merchants.operation.ts'
import type { OrderReads } from '#engine/orders/follow-order.operation.ts'
import type { BulkLane } from '#engine/payments/payment-engine.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import type { SendingGate } from '#engine/restore-guard/sending.ts'
import type { Vault } from '#engine/vault/vault.ts'
import type { Connection } from '#platform/postgres/connection.ts'
import type { KeyRing } from '#platform/crypto/key-ring.ts'

// What the outside world gives to the engine and to every capability. Built once, in apps/build-context.ts.
// An operation never takes all of it: it names what it needs.
export type EngineContext = PaymentNeeds & {
  readonly bulk: BulkLane
  readonly keyRing: KeyRing
  readonly vault: Vault
  readonly merchantReads: MerchantReads
  readonly cardTries: CardTries
  readonly orderReads: OrderReads
  // The same clocks as accountClock, for whoever moves them or hears that they were moved.
  readonly movedClocks: Pick<AccountClocks, 'moved' | 'setOffsets'>
  // 3-D Secure: the banks that know the payers.
  readonly payerAuthentication: PayerAuthentication
  // null where no bank lives in this process.
  readonly bankPages: BankPages | null
  // Whether anything may be sent to an acquirer.
  readonly sending: SendingGate
  // For the few commands that a pool cannot run.
  readonly connection: Connection
}
