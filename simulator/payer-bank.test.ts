import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CardNumber } from '#kernel/card-number.ts'
import { currencyCode } from '#kernel/currency.ts'
import { testClock } from '../test/support/test-clock.ts'
import { useTestDatabase } from '../test/support/test-database.ts'
import { type ChallengeBook, memoryChallenges } from './challenge.ts'
import { PayerBank } from './payer-bank.ts'
import { openPostgresChallenges } from './postgres-challenges.ts'

function questionWith(digits: string) {
  const number = CardNumber.parse(digits)
  const currency = currencyCode('EUR')
  assert(number && currency)
  const amount = { minor: 2550n, currency }
  return { ref: 'order-1', number, amount, merchantName: 'Corner Books', returnTo: '/back' }
}

test('each published card is treated as the page of the sandbox says', async () => {
  const bank = new PayerBank({ challenges: memoryChallenges() })
  const kindOf = async (digits: string) => {
    const answer = await bank.ask(questionWith(digits))
    return answer.kind === 'confirmed' ? `confirmed ${answer.proof.eci}` : answer.kind
  }
  assert.equal(await kindOf('4000000000003220'), 'challenge')
  assert.equal(await kindOf('4000008400001629'), 'challenge')
  assert.equal(await kindOf('4000008400001280'), 'challenge')
  assert.equal(await kindOf('4000000000003055'), 'confirmed 05')
  assert.equal(await kindOf('4000000000001018'), 'rejected')
  assert.equal(await kindOf('4000000000001034'), 'unavailable')
  assert.equal(await kindOf('4111111111111111'), 'confirmed 06')
})

test('the same question is proved by the same seal, and another by another', async () => {
  const bank = new PayerBank({ challenges: memoryChallenges() })
  const question = questionWith('4000000000003055')
  assert.deepEqual(await bank.ask(question), await bank.ask(question))
  const other = await bank.ask({ ...question, ref: 'order-2' })
  assert.notDeepEqual(await bank.ask(question), other)
  assert(other.kind === 'confirmed')
  assert.equal(Buffer.from(other.proof.seal, 'base64').length, 20)
  assert.match(other.proof.transactionId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})

async function challengeIn(challenges: ChallengeBook) {
  const clock = testClock()
  const bank = new PayerBank({ challenges, clock })
  const answer = await bank.ask(questionWith('4000000000003220'))
  assert(answer.kind === 'challenge')
  const id = answer.challengeId
  const code = (await bank.find(id))?.code ?? ''
  return { bank, clock, id, code, [Symbol.asyncDispose]: () => challenges.close() }
}

function testBook(words: string, open: () => Promise<ChallengeBook>): void {
  describe(words, () => {
    test('a challenge is forgotten after a day, with the next one', async () => {
      await using at = await challengeIn(await open())
      const next = () => at.bank.ask(questionWith('4000000000003220'))
      at.clock.advance({ hours: 24 })
      await next()
      assert(await at.bank.find(at.id))
      at.clock.advance({ seconds: 1 })
      await next()
      assert.equal(await at.bank.find(at.id), null)
      assert.equal((await at.bank.outcomeOf(at.id)).kind, 'unavailable')
    })

    test('the right code passes, once and for all', async () => {
      await using at = await challengeIn(await open())
      assert.equal((await at.bank.outcomeOf(at.id)).kind, 'open')
      assert.equal((await at.bank.answer(at.id, { kind: 'code', digits: at.code }))?.state, 'passed')
      await at.bank.answer(at.id, { kind: 'cancel' })
      assert.equal((await at.bank.outcomeOf(at.id)).kind, 'confirmed')
    })

    test('of many wrong answers at once three are heard, and the right one comes too late', async () => {
      await using at = await challengeIn(await open())
      const wrong = Array.from({ length: 8 }, () => at.bank.answer(at.id, { kind: 'code', digits: 'x' }))
      await Promise.all(wrong)
      const found = await at.bank.answer(at.id, { kind: 'code', digits: at.code })
      assert.deepEqual([found?.state, found?.wrongCodes], ['failed', 3])
      assert.equal((await at.bank.outcomeOf(at.id)).kind, 'rejected')
    })

    test('nobody is waited for longer than half an hour', async () => {
      await using at = await challengeIn(await open())
      at.clock.advance({ minutes: 31 })
      assert.equal((await at.bank.answer(at.id, { kind: 'code', digits: at.code }))?.state, 'failed')
      assert.equal((await at.bank.outcomeOf(at.id)).kind, 'rejected')
    })

    test('a challenge that nobody made is known to nobody', async () => {
      await using at = await challengeIn(await open())
      assert.equal(await at.bank.find('x'), null)
      assert.equal(await at.bank.answer('x', { kind: 'cancel' }), null)
      assert.equal((await at.bank.outcomeOf('x')).kind, 'unavailable')
    })
  })
}

testBook('challenges in memory', async () => memoryChallenges())

describe('challenges in PostgreSQL', () => {
  const database = useTestDatabase()
  testBook('of one bank', () => openPostgresChallenges(database().connection))

  test('are known to every gateway of the bank, and many may open it at once', async () => {
    const books = await Promise.all([1, 2, 3].map(() => openPostgresChallenges(database().connection)))
    const [here, there] = books.map((challenges) => new PayerBank({ challenges }))
    assert(here && there)
    const asked = await here.ask(questionWith('4000000000003220'))
    assert(asked.kind === 'challenge')
    const code = (await there.find(asked.challengeId))?.code ?? ''
    await there.answer(asked.challengeId, { kind: 'code', digits: code })
    assert.equal((await here.outcomeOf(asked.challengeId)).kind, 'confirmed')
    await Promise.all(books.map((book) => book.close()))
  })
})
