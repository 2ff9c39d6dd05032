import assert from 'node:assert/strict'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int4, int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { saleOf } from './bank-world.ts'
import type { World } from './session-world.ts'
import { call, openTill, type Till, type Told } from './till.ts'

const good = '4111111111111111'

export async function watch({ needs, account }: Till, lookAlikeSeconds = 60, record = 1): Promise<void> {
  const merchant = merchantNumber(record)
  const changed = await changeMerchant(needs, {
    account: account.accountId,
    merchant,
    changes: { lookAlikeSeconds },
  })
  assert(changed.ok)
}

// A till whose record turns look-alikes down for a minute.
export async function openWatchfulTill(needs: World): Promise<Till> {
  const till = await openTill(needs, { verifiesCards: false })
  await watch(till)
  return till
}

export type Wish = {
  readonly card?: string | undefined
  readonly amount?: number
  readonly record?: number
  readonly ref?: string
  readonly guid?: string
}

export function charge(till: Till, wish: Wish = {}): Promise<Told> {
  const { card = good, amount = 5, record = 1, ref = 'order-1', guid = 'basket-1' } = wish
  return call(till, 'CardSale/Manual', {
    ccCardInfo: { AccountNumber: card, ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt: amount },
    PurchItems: { ClientRefID: ref, RPGUID: guid },
    MerchID: record,
  })
}

export function chargeConsent(till: Till, consent: bigint, ref = ''): Promise<Told> {
  return call(till, 'ConsentAnnual/ChargeStoredCard', {
    ConsentID: Number(consent),
    Amounts: { BaseAmt: 5 },
    purchDetails: { ClientRefID: ref },
  })
}

export function debit(till: Till, ref: string): Promise<Told> {
  return call(till, 'ACH/Sale', saleOf({ Amount: 5 }, { PurchItems: { ClientRefID: ref } }))
}

export const idOf = (told: Told) => Number(told.members['TxID'])
export const codeOf = async (telling: Promise<Told>) => (await telling).code

const countStatement = statement(
  'test_count_look_alikes',
  [int8],
  { rows: int4 },
  `select count(*)::integer as rows from look_alike where account_id = $1`,
)

export async function heldBy({ needs, account }: Till): Promise<number | undefined> {
  return (await needs.db.run(countStatement, [account.accountId]))[0]?.rows
}
