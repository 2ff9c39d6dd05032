import { type BankAccountFacts } from '#engine/vault/vault.ts'
import { BankAccountNumber } from '#kernel/bank-account-number.ts'
import { isRoutingNumber } from '#kernel/nacha/routing-number.ts'

export type CorrectedAccount = BankAccountFacts & { readonly number: BankAccountNumber }

// Where each notice of change puts what is right, in columns of its corrected data.
type Places = Partial<Record<'routing' | 'account' | 'code', readonly [from: number, to: number]>>
const placesByCode: Readonly<Record<string, Places>> = {
  C01: { account: [0, 17] },
  C02: { routing: [0, 9] },
  C03: { routing: [0, 9], account: [12, 29] },
  C05: { code: [0, 2] },
  C06: { account: [0, 17], code: [20, 22] },
  C07: { routing: [0, 9], account: [9, 26], code: [26, 28] },
}

// The account as its bank says it should be; null when the notice is about something else, or tells nothing
// that could be right.
export function correctedAccount(
  account: CorrectedAccount,
  notice: { code: string; corrected: string },
): CorrectedAccount | null {
  const places = placesByCode[notice.code]
  if (!places) return null
  const at = (place: readonly [number, number] | undefined) =>
    place ? notice.corrected.slice(...place).trim() : null
  const [routing, digits, code] = [at(places.routing), at(places.account), at(places.code)]
  const number = digits === null ? account.number : BankAccountNumber.parse(digits)
  const routingNumber = routing ?? account.routingNumber
  const type = code === null ? account.type : typeOf(code)
  if (!number || !type || !isRoutingNumber(routingNumber)) return null
  return { number, routingNumber, type, isBusiness: account.isBusiness }
}

export function isSameAccount(one: CorrectedAccount, other: CorrectedAccount): boolean {
  return (
    one.number.reveal() === other.number.reveal() &&
    one.routingNumber === other.routingNumber &&
    one.type === other.type
  )
}

function typeOf(code: string): CorrectedAccount['type'] | null {
  if (/^2\d$/.test(code)) return 'checking'
  return /^3\d$/.test(code) ? 'savings' : null
}
