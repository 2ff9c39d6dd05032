import type { AccountSettings } from '#engine/merchants/account.ts'
import { merchantDefaults, type MerchantSettings } from '#engine/merchants/merchant.ts'
import { assert } from '#kernel/assert.ts'
import { type Currency, currencyCode } from '#kernel/currency.ts'

// The demo account of the sandbox. Names and addresses are invented.
export const sandboxAccountCode = 'TG0000001'

export const sandboxAccount: AccountSettings = {
  description: 'Sandbox account',
  bindsAddress: false,
  allowsPartialApprovals: true,
  allowsAlternateMerchants: true,
  verifiesCards: true,
}

const shared = { timeZone: 'America/New_York', takesAch: true } as const
const inIllinois = { ...merchantDefaults(currencyOf('USD')), ...shared, region: 'IL' }

// In the order of their numbers: 1 plain, 2 with a surcharge, 3 international.
export const demoMerchants: readonly MerchantSettings[] = [
  {
    ...inIllinois,
    name: 'Corner Books',
    location: 'Main Street',
    address: '1 Main Street, Springfield, IL 62701, US',
    terminalId: 'T0000001',
    // So that the calls are yours to try.
    collectsAutomatically: false,
  },
  {
    ...inIllinois,
    name: 'Corner Books Online',
    location: 'Web shop',
    address: '1 Main Street, Springfield, IL 62701, US',
    terminalId: 'T0000002',
    feeKind: 'surcharge',
    feeBasisPoints: 300,
  },
  {
    ...merchantDefaults(currencyOf('EUR')),
    ...shared,
    name: 'Corner Books Europe',
    location: 'Web shop',
    address: 'Hauptstrasse 1, 10115 Berlin, DE',
    terminalId: 'T0000003',
    region: 'DE-BE',
    isInternational: true,
    takesAch: false,
  },
]

function currencyOf(code: string): Currency {
  const currency = currencyCode(code)
  assert(currency, `${code} is a currency`)
  return currency
}

export const demoMessageLimits = { perRecipientHour: 100, perRecipientDay: 1_000 }
