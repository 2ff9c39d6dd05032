import { type Batch, netOf } from '#capabilities/settlement/batch.ts'
import type { EventType } from '#engine/events/event-registry.ts'
import type { NewEvent } from '#engine/events/event.ts'
import { printMoney } from '#kernel/money.ts'

export function batchEvent(type: Extract<EventType, `batch.${string}`>, batch: Batch): NewEvent {
  return {
    accountId: batch.accountId,
    type,
    objectId: batch.batchId,
    body: {
      number: String(batch.batchNumber),
      merchant: String(batch.merchantNumber),
      count: String(batch.itemCount),
      net: printMoney(netOf(batch)),
      currency: batch.currency,
      code: batch.resultCode,
    },
  }
}
