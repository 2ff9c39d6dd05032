import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { charge, makeConsent } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, sell, type Till } from '../../../test/support/till.ts'

const world = useWorld()

// A consent whose card was charged once.
async function chargedConsent({ needs, caller }: Till) {
  const consent = await makeConsent(needs, caller)
  const paid = await charge(needs, caller, consent, { Amounts: 12 })
  assert(paid.ok)
  return { consent, transaction: Number(paid.value.attemptId) }
}

async function furnish(till: Till) {
  const plain = await sell(till, 10)
  const [first, second] = [await chargedConsent(till), await chargedConsent(till)]
  return { plain, first, second }
}

// `ConsentID` is told as 0 where there is none, so 0 asks for that.
describe('transactions are found by their consent, and by having none', () => {
  let till: Till | null = null
  let made: Awaited<ReturnType<typeof furnish>> | null = null
  before(async () => {
    till = await openTill(world())
    made = await furnish(till)
  })

  async function idsOf(Query: string): Promise<readonly number[]> {
    assert(till)
    const { code, members, text } = await call(till, 'Query/Transaction', { Query })
    assert.equal(code, 0, text)
    const found = Object(members['Transactions']) as readonly { readonly ID: number }[]
    return found.map(({ ID }) => ID).toSorted((left, right) => left - right)
  }

  for (const query of ['(P=0)', "(P='0')", "(P='')", '(P<1)', '(P<=0)', '(P>-2)&&(P<1)']) {
    test(`${query} finds those without a consent`, async () => {
      assert(made)
      assert.deepEqual(await idsOf(query), [made.plain])
    })
  }

  for (const query of ['(P<>0)', "(P<>'')", '(P>0)', "(P>'0')", '(P>=1)']) {
    test(`${query} finds those with one`, async () => {
      assert(made)
      assert.deepEqual(await idsOf(query), [made.first.transaction, made.second.transaction])
    })
  }

  test('one is greater than another as a number', async () => {
    assert(made)
    const { plain, first, second } = made
    assert.deepEqual(await idsOf(`(P>${first.consent})`), [second.transaction])
    assert.deepEqual(await idsOf(`(P<${second.consent})`), [plain, first.transaction])
    assert.deepEqual(await idsOf(`(P=${first.consent})`), [first.transaction])
    assert.deepEqual(await idsOf(`(P LIKE '${second.consent}')`), [second.transaction])
    assert.deepEqual(await idsOf('(P=-1)'), [plain, first.transaction, second.transaction])
  })
})
