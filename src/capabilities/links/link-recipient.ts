import type { LinkSending } from '#capabilities/links/link.ts'
import { homeCountry, readEmail, readPhone } from '#capabilities/messages/recipient.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type Addressed = {
  readonly sending: LinkSending
  readonly email: string
  readonly phone: string
  readonly names: Readonly<Record<'email' | 'phone', string>>
}

// Where the message goes; empty when none is sent.
export function recipientOf(
  { sending, email, phone, names }: Addressed,
  { region }: Merchant,
): Result<string, 'invalid_phone' | 'invalid_email'> {
  if (sending === 'none') return ok('')
  return sending === 'email'
    ? naming(names.email, readEmail(email))
    : naming(names.phone, readPhone(phone, homeCountry(region)))
}

function naming<Kind extends 'invalid_phone' | 'invalid_email'>(
  member: string,
  read: Result<string, Kind>,
): Result<string, Kind> {
  if (read.ok) return read
  const problem = `in ${member} ${String(read.refusal.details['problem'])}`
  return refuse(read.refusal.kind, { problem })
}
