import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemWords } from '#capabilities/form-pages/problem-words.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { look, openForm, press } from '../../../test/support/form-world.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()
const amountAsked = { eVisible: 'A063', eReadOnly: '0000' }

// What stands beside the amount of somebody who wants to pay too much.
async function toldBy(
  limitPerChargeMinor: bigint,
  typed: Readonly<Record<string, string>>,
  language = 'en-US',
) {
  const till = await openTill(world())
  await makeMerchant(till.needs, till.account, { limitPerChargeMinor })
  const guest = await openForm(till, { MerchID: 2 }, amountAsked)
  const answer = await press(guest, typed)
  assert(answer.kind === 'problems')
  const sent = new Map(Object.entries(typed))
  const told = problemWords(await look(guest), tongueFor(language, ''), { problems: answer.problems, sent })
  return told.get('amount')?.replace(/[\u00a0\u202f]/g, ' ')
}

for (const [language, sentence] of [
  ['en-US', /^\S.* takes at most \$500\.00 at once\.$/],
  ['es-MX', /^\S.* acepta como máximo USD 500\.00 de una vez\.$/],
  ['fr-FR', /^\S.* accepte au plus 500,00 \$US à la fois\.$/],
] as const) {
  test(`who types too large an amount is told the largest one, in ${language}`, async () => {
    assert.match((await toldBy(50_000n, { amount: '500.01' }, language)) ?? '', sentence)
  })
}

const bankAccount = { method: 'bank', routing: '110000000', account: '000123456789', name: 'Ada Miller' }

test("the largest amount from a bank account is the network's where the record takes more", async () => {
  const told = await toldBy(99_999_999_999n, { ...bankAccount, amount: '100000000' })
  assert.match(told ?? '', /at most \$99,999,999\.99 at once/)
  const less = await toldBy(50_000n, { ...bankAccount, amount: '600' })
  assert.match(less ?? '', /at most \$500\.00 at once/)
})

test('a limit that is lowered leaves what the merchant fixed before as it is', async () => {
  const till = await openTill(world())
  const { account, needs } = till
  await makeMerchant(needs, account, { limitPerChargeMinor: 99_999_999_999n })
  const guestOf = (BaseAmt: number) => openForm(till, { MerchID: 2, Amounts: { BaseAmt } })
  const [usual, large] = [await guestOf(600), await guestOf(100_000_000)]
  const changes = { limitPerChargeMinor: 50_000n }
  const wish = { account: account.accountId, merchant: merchantNumber(2), changes }
  assert((await changeMerchant(needs, wish)).ok)
  const answer = await press(large, bankAccount)
  assert(answer.kind === 'problems')
  const typed = { problems: answer.problems, sent: new Map(Object.entries(bankAccount)) }
  const told = problemWords(await look(large), tongueFor('en-US', ''), typed)
  assert.match(told.get('account') ?? '', /at most \$99,999,999\.99 at once/)
  assert.deepEqual(await press(usual, bankAccount), { kind: 'paid' })
})
