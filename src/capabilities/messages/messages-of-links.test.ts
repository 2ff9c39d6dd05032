import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  endMessagesOfLinks,
  stateOfLinkMessages,
} from '#capabilities/messages/messages-of-links.operation.ts'
import type { Sender, SendOutcome } from '#capabilities/messages/sender.ts'
import {
  deliver,
  messagesOf,
  mustQueue,
  newMail,
  newText,
  openDesk,
  type MessageDesk,
  withSenders,
} from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const because = 'The link was withdrawn'

describe('messages of a link that is over', () => {
  test('are not sent any more, and those of other links are', async () => {
    const desk = await openDesk(world())
    await mustQueue(desk, newText(desk, { linkId: 1n }))
    await mustQueue(desk, newMail(desk, { linkId: 1n }))
    await mustQueue(desk, newText(desk, { linkId: 2n }))
    await withdraw(desk)
    await deliver(desk)
    assert.deepEqual(await toldOf(desk), [`dead: ${because}`, `dead: ${because}`, 'delivered: '])
  })

  test('are left alone when they were sent before', async () => {
    const desk = await openDesk(world())
    await mustQueue(desk, newText(desk, { linkId: 1n }))
    await deliver(desk)
    await withdraw(desk)
    assert.deepEqual(await toldOf(desk), ['delivered: '])
  })

  const outcomes: readonly [SendOutcome, string][] = [
    [{ kind: 'busy', because: 'Throttled', parts: [] }, `dead: ${because}`],
    [{ kind: 'later', because: 'Not now', parts: [] }, `dead: ${because}`],
    [{ kind: 'sent', hasArrived: true, parts: [] }, 'delivered: '],
  ]
  for (const [outcome, told] of outcomes)
    test(`are not tried again when they were in hand (${outcome.kind})`, async () => {
      const desk = await openDesk(world())
      const sender: Sender = {
        ...desk.needs.senders.text,
        send: async () => {
          await withdraw(desk)
          return outcome
        },
      }
      await mustQueue(desk, newText(desk, { linkId: 1n }))
      await deliver(withSenders(desk, { text: sender }))
      assert.deepEqual(await toldOf(desk), [told])
    })

  test('are not tried again when a node died with them in hand', async () => {
    const desk = await openDesk(world())
    const died = { ...desk.needs.senders.email, send: () => Promise.reject(new Error('killed')) }
    await mustQueue(desk, newMail(desk, { linkId: 1n }))
    await assert.rejects(deliver(withSenders(desk, { email: died })), /killed/)
    await withdraw(desk)
    desk.needs.clock.advance({ minutes: 4 })
    await deliver(desk)
    assert.deepEqual(await toldOf(desk), [`dead: ${because}`])
  })
})

test('of a link one is told what became of its newest message, within the account', async () => {
  const desk = await openDesk(world())
  await mustQueue(desk, newText(desk, { linkId: 1n }))
  await deliver(desk)
  await mustQueue(desk, newText(desk, { linkId: 2n }))
  await withdraw(desk, 2n)
  await mustQueue(desk, newText(desk, { linkId: 1n }))
  const { needs, account } = desk
  const told = await stateOfLinkMessages(needs, account.accountId, [1n, 2n, 3n])
  assert.deepEqual(
    [...told],
    [
      [1n, { state: 'waiting', problem: '' }],
      [2n, { state: 'dead', problem: because }],
    ],
  )
  const other = (await openDesk(world())).account.accountId
  assert.equal((await stateOfLinkMessages(needs, other, [1n])).size, 0)
})

function withdraw({ needs }: MessageDesk, linkId = 1n): Promise<void> {
  return needs.db.inTransaction((tx) => endMessagesOfLinks(needs, tx, { linkIds: [linkId], because }))
}

async function toldOf(desk: MessageDesk): Promise<readonly string[]> {
  return (await messagesOf(desk)).map(({ state, problem }) => `${state}: ${problem}`)
}
