import { CardNumber } from '#kernel/card-number.ts'
import { currencyCode } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'
import { Secret } from '#kernel/secret.ts'
import type { Bank } from './bank.ts'
import type { BankAuthorization, BankRequest } from './bank-request.ts'

// For tests: requests that show only what matters, and what was heard in answer to one.

export function dollars(minor: bigint): Money {
  const currency = currencyCode('USD')
  if (!currency) throw new Error('The dollar is gone')
  return { minor, currency }
}

type Wish = {
  readonly ref: string
  readonly number?: string
  readonly minor?: bigint
  readonly terminalId?: string
}

export function saleOf({
  ref,
  number = '4111111111111111',
  minor = 1_000n,
  terminalId = 'T1',
}: Wish): BankAuthorization {
  const card = CardNumber.parse(number)
  if (!card) throw new Error(`${number} is no card number`)
  return {
    verb: 'authorize',
    ref,
    card: {
      number: card,
      expiry: { month: 12, year: 2030 },
      securityCode: new Secret('987'),
      street: '1 Main Street',
      zip: '10001',
    },
    amount: dollars(minor),
    fee: dollars(0n),
    terminalId,
    isRecurring: false,
  }
}

// Everything that was said until the bank had nothing more to do at once; `broke` stands for a broken line.
export async function talk(bank: Bank, request: BankRequest): Promise<unknown[]> {
  const heard: unknown[] = []
  await bank.receive(request, { say: (reply) => heard.push(reply), hangUp: () => heard.push('broke') })
  return heard
}
