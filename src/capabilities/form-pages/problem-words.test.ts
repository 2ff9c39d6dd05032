import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemWords } from '#capabilities/form-pages/problem-words.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
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

test("the largest amount from a bank account is the network's where the record takes more", async () => {
  const bankAccount = { method: 'bank', routing: '110000000', account: '000123456789', name: 'Ada Miller' }
  const told = await toldBy(99_999_999_999n, { ...bankAccount, amount: '100000000' })
  assert.match(told ?? '', /at most \$99,999,999\.99 at once/)
  const less = await toldBy(50_000n, { ...bankAccount, amount: '600' })
  assert.match(less ?? '', /at most \$500\.00 at once/)
})
