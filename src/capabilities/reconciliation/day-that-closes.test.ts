import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { csvHead, csvRow } from '#capabilities/reconciliation/reconciled-csv.ts'
import { reconcile, type Reconciled } from '#capabilities/reconciliation/reconcile.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { credit as creditDebit, debit, undo as undoDebit } from '../../../test/support/bank-world.ts'
import { count } from '../../../test/support/counts.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'
import { buy, openShop, undoOrder } from '../../../test/support/order-world.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import {
  call,
  credit,
  openTill,
  sell,
  settleAll,
  type Till,
  undo,
  withKey,
} from '../../../test/support/till.ts'
import { Dice } from '../../../test/simulation/dice.ts'

const salesOfADay = count({ full: 5_000, usual: 500 })

const period = {
  from: Temporal.Instant.from('2027-01-15T00:00Z'),
  to: Temporal.Instant.from('2027-01-17T00:00Z'),
}

type Day = { readonly till: Till; readonly sales: Map<number, number> }

// Ordinary cards, one that declines, partial approvals, lost answers, fees and none, voids and credits.
async function liveADay(till: Till, dice: Dice, howMany: number): Promise<Day> {
  const sales = new Map<number, number>()
  for (let done = 0; done < howMany; done += 50) {
    const portion = Array.from({ length: Math.min(50, howMany - done) }, () => nextSale(dice))
    const told = await Promise.all(portion.map((body) => call(till, 'CardSale/Manual', body)))
    for (const { members } of told) {
      if (members['TxApproved'] === true)
        sales.set(Number(members['TxID']), Number(members['ResponseApprovedAmount']))
    }
  }
  const chosen = [...sales].filter(() => dice.below(5) === 0)
  for (const [id, total] of chosen) {
    const throwOf = dice.below(4)
    if (throwOf === 0) await undo(till, id)
    if (throwOf === 1) await credit(till, id, total)
    if (throwOf >= 2) for (const part of [0.01, Number((total / 3).toFixed(2))]) await credit(till, id, part)
  }
  await moveBankDebits(till, dice)
  return { till, sales }
}

// Some debits of bank accounts, one of them voided and one credited, and a sale that its payer will dispute.
async function moveBankDebits(till: Till, dice: Dice): Promise<void> {
  const ids: number[] = []
  for (let done = 0; done < 12; done += 1)
    ids.push(await debit(till, { Amount: (dice.below(100_000) + 100) / 100 }, { MerchID: 2 }))
  const [gone = 0, back = 0] = ids
  assert.equal((await undoDebit(till, gone)).code, 0)
  assert.equal((await creditDebit(till, back, 0.5)).code, 0)
  await sell(till, 9900.4, { record: 2 })
}

function nextSale(dice: Dice): object {
  const kind = dice.below(20)
  const cents = dice.below(1_000_000) + 1
  const amount = kind === 0 ? 9900.1 : kind === 1 ? 9900.68 : cents / 100 / (cents > 980_000 ? 2 : 1)
  const AccountNumber = kind === 2 ? '4000000000000002' : kind === 3 ? '4000056655665556' : '4111111111111111'
  return {
    ccCardInfo: { AccountNumber, ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt: Number(amount.toFixed(2)), Surcharge: 9_999 },
    PurchItems: { ClientRefID: kind === 4 ? '=1+1' : `order-${cents}` },
    MerchID: 2,
  }
}

async function openDay(needs: World): Promise<Till> {
  const till = await openTill(needs, { allowsPartialApprovals: true })
  const fees = { feeKind: 'surcharge', feeBasisPoints: 300, region: 'US-IL' } as const
  await makeMerchant(needs, till.account, fees)
  return { ...till, needs: impatient(needs) }
}

async function comeToRest({ needs }: Till): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    needs.clock.advance({ minutes: 3 })
    if ((await recoverAttempts(needs)) === 0) return
  }
}

const sumsStatement = statement(
  'test_sums_of_day',
  [int8],
  { posted: int8, settled: int8, cards: int8 },
  `select
     (select coalesce(sum(case debit when 'acquirer' then amount_minor else -amount_minor end), 0)::int8
       from posting where account_id = $1) as posted,
     coalesce(sum(sales_minor - credits_minor), 0)::int8 as settled,
     coalesce(sum(card_net_minor), 0)::int8 as cards
   from batch where account_id = $1 and state = 'accepted'`,
)

const place = (column: string): number => csvHead.trim().split(',').indexOf(column)

function centsOf(amount: string | undefined): bigint {
  assert.match(amount ?? '', /^-?\d+\.\d\d$/)
  return BigInt((amount ?? '').replace('.', ''))
}

async function compare(needs: World): Promise<readonly Reconciled[]> {
  return Array.fromAsync(reconcile(needs, period))
}

async function causes(needs: World): Promise<readonly string[]> {
  const all = await compare(needs)
  return all.flatMap(({ breaks }) => breaks.map(({ subject, cause }) => `${subject}: ${cause}`))
}

const kindsOfCards = ['sale approved', 'sale partial', 'sale declined', 'credit approved', 'void approved']

describe('a day', () => {
  const world = useWorld()

  test(`of ${salesOfADay} mixed sales closes to the cent, four ways`, async () => {
    const till = await openDay(world())
    await liveADay(till, new Dice(20_270_115), salesOfADay)
    await comeToRest(till)
    const told = await settleAll(till, 2)
    assert.deepEqual([told.isApproved, told.batch['RemainingUnsettled']], [true, 0])

    const [sums] = await till.needs.db.run(sumsStatement, [till.account.accountId])
    assert(sums)
    assert.equal(sums.posted, sums.settled, 'the ledger and the batches')
    assert.equal(BigInt(Math.round(Number(told.batch['BatchNetAmount']) * 100)), sums.settled)
    assert((await verifyLedger(till.needs.db)).isSound)

    const report = await Array.fromAsync(till.needs.acquirer.report(period.from, period.to))
    const atBank = report
      .filter(({ reversed, kind }) => !reversed && kind !== 'verification')
      .reduce((sum, { kind, approved }) => sum + (kind === 'refund' ? -1n : 1n) * (approved?.minor ?? 0n), 0n)
    assert.equal(atBank, sums.cards, 'the bank and the cards of the batches')
    assert(sums.cards < sums.settled, 'the rest are bank debits')

    const all = await compare(till.needs)
    assert.deepEqual(
      all.flatMap(({ breaks }) => breaks),
      [],
    )
    const rows = all.flatMap((one) => (one.kind === 'line' ? [csvRow(one.line, one.breaks)] : []))
    const cells = rows.map((row) => row.trim().split(','))
    const inFile = cells.reduce((sum, row) => sum + centsOf(row[place('ledgerTotal')]), 0n)
    assert.equal(inFile, sums.settled, 'the file and the batches')
    const kinds = new Set(cells.map((row) => `${row[place('kind')]} ${row[place('state')]}`))
    for (const kind of [...kindsOfCards, 'bank_debit approved', 'bank_void approved', 'bank_credit approved'])
      assert(kinds.has(kind), `there is a ${kind}`)

    till.needs.clock.advance({ hours: 72 })
    assert.equal((await runDueNow(till.needs, collectDisputesWork, till.account.accountId)).length, 1)
    const [disputed] = await till.needs.db.run(sumsStatement, [till.account.accountId])
    assert(sums.posted - (disputed?.posted ?? 0n) > 990_000n, 'a payer has taken a sale back')
    assert.deepEqual(await causes(till.needs), [])
  })
})

describe('a sale that nobody settles', () => {
  const world = useWorld()

  test('is named once it is older than a week', async () => {
    const till = await openTill(world())
    const { members } = await call(till, 'CardSale/Manual', {
      ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
      Amounts: { BaseAmt: 25 },
      MerchID: 1,
    })
    till.needs.clock.advance({ hours: 24 * 7 })
    assert.deepEqual(await causes(till.needs), [])
    till.needs.clock.advance({ hours: 1 })
    assert.deepEqual(await causes(till.needs), [
      `transaction ${members['TxID']}: it is approved since 2027-01-15, and was never settled`,
    ])
    await settleAll(till)
    assert.deepEqual(await causes(till.needs), [])
  })
})

describe('a sale whose approval the bank tells late', () => {
  const world = useWorld()

  test('is named a week after it was told, not a week after it was asked for', async () => {
    const till = await openTill(impatient(world()))
    const amountWithSilence = 9900.98
    const sale = await sell(withKey(till, 'silent'), amountWithSilence)
    till.needs.clock.advance({ hours: 24 * 6 })
    assert.equal(await recoverAttempts(till.needs), 1)
    till.needs.clock.advance({ hours: 24 * 7 })
    assert.deepEqual(await causes(till.needs), [])
    till.needs.clock.advance({ hours: 1 })
    assert.deepEqual(await causes(till.needs), [
      `transaction ${sale}: it is approved since 2027-01-21, and was never settled`,
    ])
  })
})

describe('an international order', () => {
  const world = useWorld()

  test('is settled by the cut-off of its bank, and named only if that never came', async () => {
    const shop = await openShop(world())
    const { transactionId } = await buy(shop)
    await runDueNow(shop.needs, closeBankDaysWork, shop.account.accountId)
    shop.needs.clock.advance({ hours: 24 })
    await runDueNow(shop.needs, closeBankDaysWork, shop.account.accountId)
    assert.equal((await undoOrder(shop, transactionId, 5)).code, 0)
    shop.needs.clock.advance({ hours: 24 * 8 })
    const told = await causes(shop.needs)
    assert.equal(told.length, 1, 'the order has reached its bank, its refund has not')
    assert.match(told[0] ?? '', /never settled$/)
    await runDueNow(shop.needs, closeBankDaysWork, shop.account.accountId)
    assert.deepEqual(await causes(shop.needs), [])
  })
})
