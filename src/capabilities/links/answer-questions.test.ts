import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerQuestions } from '#capabilities/links/answer-questions.operation.ts'
import { chargesAt, findLink, formOf, lookAt, makeLink, pressPay } from '../../../test/support/link-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

describe('questions', () => {
  const Questions = [
    { Question: 'Your street?', Answer: 'Main Street' },
    { Question: 'Your year of birth?', Answer: '1990' },
  ]

  test('are compared without case and blanks', async () => {
    const payer = await makeLink(await openTill(world()), { Questions })
    const { needs } = payer.till
    assert.equal((await lookAt(payer)).isAnswered, false)
    assert.equal(await answerQuestions(needs, await lookAt(payer), [' MAIN street', '19 90']), true)
    assert.equal((await lookAt(payer)).link.wrongAnswers, 0)
  })

  for (const none of [[{}], [{ Question: ' ', Answer: '62701' }, { Question: null }], []]) {
    test(`${JSON.stringify(none)} ask nothing`, async () => {
      const payer = await makeLink(await openTill(world()), { Questions: none })
      const { isAnswered, link } = await lookAt(payer)
      assert.deepEqual([isAnswered, link.questions], [true, []])
      assert.deepEqual(await pressPay(payer), { kind: 'paid' })
    })
  }

  test('that stand between items without one are asked alone', async () => {
    const [street] = Questions
    const payer = await makeLink(await openTill(world()), { Questions: [{}, street, { Answer: 'x' }] })
    const view = await lookAt(payer)
    assert.deepEqual(
      view.link.questions.map(({ question }) => question),
      ['Your street?'],
    )
    assert.equal(await answerQuestions(payer.till.needs, view, ['Main Street']), true)
  })

  test('nothing is paid before they are answered', async () => {
    const payer = await makeLink(await openTill(world()), { Questions })
    const page = await formOf(payer)
    assert.deepEqual(await pressPay(payer, { page }), { kind: 'stale' })
    assert.deepEqual(await chargesAt(payer.till), [])
  })

  test('of a hundred answers at once at most five are compared; then the right one is too late', async () => {
    const payer = await makeLink(await openTill(world()), { Questions })
    const { needs } = payer.till
    const view = await lookAt(payer)
    let compared = 0
    // An answer is compared by its keyed digest, one for each question.
    const keyedDigest: typeof needs.keyRing.keyedDigest = (purpose, value) => {
      if (purpose === 'link-answer') compared += 1 / Questions.length
      return needs.keyRing.keyedDigest(purpose, value)
    }
    const watched = { ...needs, keyRing: Object.assign(Object.create(needs.keyRing), { keyedDigest }) }
    const guesses = Array.from({ length: 100 }, (_, at) => ['main street', String(1_900 + (at % 90))])
    await Promise.all(guesses.map((guess) => answerQuestions(watched, view, guess)))
    assert.equal(compared, 5)
    assert.equal(await answerQuestions(needs, await lookAt(payer), ['Main Street', '1990']), false)
    assert.equal((await findLink(payer.till, payer.url))['State'], 'LOCKED')
  })

  test('are not stored as they were written', async () => {
    const payer = await makeLink(await openTill(world()), { Questions })
    const { questions } = (await lookAt(payer)).link
    // Whole values: a digest has random digits, 1990 among them at times.
    const stored = questions.flatMap((question) => Object.values(question)).map(String)
    assert.deepEqual(
      stored.filter((text) => /^(?:main ?street|1990)$/i.test(text)),
      [],
    )
    assert.ok(stored.includes('Your street?'))
  })
})
