import { allowedCountries, defaultLimits, judgeLimits } from '#capabilities/messages/limits.ts'
import type { LimitRefusal } from '#capabilities/messages/limits.ts'
import { countSentBefore, isStopped, lockAccountOfMessages } from '#capabilities/messages/limit.store.ts'
import type { MessageId, NewMessage } from '#capabilities/messages/message.ts'
import { insertMessage } from '#capabilities/messages/message.store.ts'
import { countryOfPhone, homeCountry } from '#capabilities/messages/recipient.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { randomHex } from '#platform/crypto/random.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type QueueRefusal = LimitRefusal | 'recipient_stopped' | 'country_not_allowed'
export type Queued = Result<{ readonly messageId: MessageId }, QueueRefusal>

// Names a message to the world, the same in every try.
export function publicIdOf(): string {
  return randomHex(128)
}

// Part of the caller's transaction, so that neither the message nor what it tells of exists without the
// other. It is sent as soon as that is committed. A refusal writes nothing.
export async function queueMessage(tx: Tx, message: NewMessage): Promise<Queued> {
  const { accountId, merchantNumber, recipient, channel } = message
  // Holds the account's other messages until the caller commits, so that each is counted.
  const { limits, region } = await lockAccountOfMessages(tx, { accountId, merchantNumber })
  const known = limits ?? defaultLimits
  if (channel === 'text') {
    const country = countryOfPhone(recipient)
    const allowed = allowedCountries(known, homeCountry(region))
    if (!allowed.includes(country))
      return refuse('country_not_allowed', { country: country || 'no country', allowed: allowed.join(', ') })
    if (await isStopped(tx, recipient)) return refuse('recipient_stopped', { recipient })
  }
  const judged = judgeLimits(known, await countSentBefore(tx, message), message)
  if (!judged.ok) return judged
  return ok({ messageId: await insertMessage(tx, message, publicIdOf()) })
}
