import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int4, int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { look, openForm, press } from '../../../test/support/form-world.ts'
import { makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

const bankAccount = { method: 'bank', routing: '110000000', account: '000123456789', name: 'Ada Miller' }

const accountsOfStatement = statement(
  'count_bank_accounts',
  [int8],
  { kept: int4, erased: int4 },
  `select count(*) filter (where ciphertext <> '')::int4 as kept,
     count(*) filter (where erased_at is not null)::int4 as erased
   from vault_bank_account where account_id = $1`,
)

// Neither stores a number before both are about to, so that none is too late before that.
function storingTogether(needs: World, tabs: number): World {
  const all = Promise.withResolvers<void>()
  let arrived = 0
  const storeBankAccounts: World['vault']['storeBankAccounts'] = async (tx, storing) => {
    arrived += 1
    if (arrived === tabs) all.resolve()
    await all.promise
    return needs.vault.storeBankAccounts(tx, storing)
  }
  return { ...needs, vault: { ...needs.vault, storeBankAccounts } }
}

test('of two tabs that debit an account at once, the number of the loser is not kept', async () => {
  const guest = await openForm(await openTill(storingTogether(world(), 2)))
  const page = await look(guest)
  const answers = await Promise.all([press(guest, bankAccount, page), press(guest, bankAccount, page)])
  assert.deepEqual(answers.map(({ kind }) => kind).toSorted(), ['paid', 'stale'])
  const { db } = guest.till.needs
  const [row] = await db.run(accountsOfStatement, [guest.till.account.accountId])
  assert.deepEqual([row?.kept, row?.erased], [1, 1])
})

test('a bank account is debited by no more than the network has room for', async () => {
  const till = await openTill(world())
  await makeMerchant(till.needs, till.account, { limitPerChargeMinor: 99_999_999_999n })
  const BaseAmt = 100_000_000
  for (const [field, options] of [
    ['amount', { eVisible: 'A063', eReadOnly: '0000' }],
    ['account', {}],
  ] as const) {
    const guest = await openForm(till, { MerchID: 2, Amounts: { BaseAmt } }, options)
    const answer = await press(guest, { ...bankAccount, amount: String(BaseAmt) })
    assert(answer.kind === 'problems')
    assert.deepEqual([...answer.problems], [[field, 'amount_most']])
  }
})
