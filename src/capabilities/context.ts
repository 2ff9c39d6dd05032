import type { AchNeeds } from '#capabilities/bank-debits/ach-needs.ts'
import type { ConsentNeeds } from '#capabilities/consents/find-consent.operation.ts'
import type { FormPaymentNeeds } from '#capabilities/form-payments/form-payment-needs.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import type { SearchNeeds } from '#capabilities/search/search-records.operation.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import type { SettlementNeeds } from '#capabilities/settlement/batch-companion.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import type { EngineContext } from '#engine/context.ts'

// Everything that operations and tasks may need. Built once, in apps/build-context.ts.
export type Context = EngineContext &
  SessionNeeds &
  ConsentNeeds &
  SettlementNeeds &
  AchNeeds &
  WebhookNeeds &
  FormNeeds &
  FormPaymentNeeds &
  SearchNeeds &
  MessageNeeds
