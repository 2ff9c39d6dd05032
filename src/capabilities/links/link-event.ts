import type { Link } from '#capabilities/links/link.ts'
import type { EventType } from '#engine/events/event-registry.ts'
import type { NewEvent } from '#engine/events/event.ts'
import { printMoney } from '#kernel/money.ts'

type LinkEvent = Exclude<Extract<EventType, `link.${string}`>, 'link.paid'>

// Nothing of the payer: whoever is told can ask for it.
export function linkEvent(
  type: LinkEvent,
  link: Pick<Link, 'accountId' | 'linkId' | 'merchantNumber' | 'amount' | 'currency' | 'clientRef' | 'guid'>,
  channel = '',
): NewEvent {
  const { accountId, linkId: objectId, merchantNumber, amount, currency, clientRef, guid } = link
  const body = {
    merchant: String(merchantNumber),
    amount: amount ? printMoney(amount) : '',
    currency,
    channel,
    transaction: '',
    clientRef,
    guid,
  }
  return { accountId, type, objectId, body }
}
