import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectAddress } from '#capabilities/forms/form-result.operation.ts'
import { optionsOf } from '#capabilities/forms/form-options.ts'
import { postForms } from '#capabilities/forms/post-forms.operation.ts'
import type { QueuedPost } from '#capabilities/webhooks/queue-posts.operation.ts'
import { look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

// Of all 64 values of bits 0 to 5, those that lead a payer to RedirectURL: none of the bits, or bit 0.
const redirecting = new Set([
  0x00, 0x01, 0x03, 0x05, 0x07, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x13, 0x15, 0x17, 0x19, 0x1b, 0x1d, 0x1f, 0x21,
  0x23, 0x25, 0x27, 0x29, 0x2b, 0x2d, 0x2f, 0x31, 0x33, 0x35, 0x37, 0x39, 0x3b, 0x3d, 0x3f,
])
const masks = Array.from({ length: 64 }, (_, mask) => mask)
const payment = 0x0200
const json = 0x0800
const PostURL = 'http://127.0.0.1:9/paid'
const RedirectURL = 'https://shop.example/done'

for (const mask of masks) {
  const redirects = redirecting.has(mask)
  const ending = mask & 2 ? 'both_receipts' : mask & 4 ? 'customer_receipt' : 'message'
  const tellsParent = (mask & 0x20) !== 0
  test(`bits ${mask.toString(2).padStart(6, '0')}: redirect ${redirects}, ${ending}`, () => {
    for (const others of [0, payment, 0xffc0]) {
      const options = optionsOf({ visible: 0, readOnly: 0, styles: 0, submission: mask | others })
      assert.partialDeepStrictEqual(options, { redirects, ending, tellsParent })
    }
  })
}

function recording(needs: World): { readonly needs: World; readonly posts: QueuedPost[] } {
  const posts: QueuedPost[] = []
  const queuePosts = async (_: unknown, queued: readonly QueuedPost[]) => {
    posts.push(...queued)
  }
  return { needs: { ...needs, queuePosts }, posts }
}

async function payWith(submission: number, addresses: object) {
  const till = await openTill(world())
  const { needs, posts } = recording(till.needs)
  const eSubmission = submission.toString(16).padStart(4, '0')
  const guest = await openForm({ ...till, needs }, addresses, { eSubmission })
  assert.deepEqual(await press(guest), { kind: 'paid' })
  await postForms(needs, null)
  const { form, attempt, order } = await look(guest)
  assert(attempt)
  const paid = { form, attempt, order }
  const redirect = await redirectAddress(needs, paid)
  return { posts, redirect, txid: String(attempt.attemptId) }
}

// Every bit alone, none, all, and what clients send most.
for (const mask of [0, 1, 2, 4, 8, 0x10, 0x20, 0x11, 0x18, 0x21, 0x30, 0x3e, 0x3f]) {
  test(`a form with the bits ${mask.toString(2).padStart(6, '0')} posts in any case`, async () => {
    const { posts, redirect, txid } = await payWith(mask | payment, { PostURL, RedirectURL })
    const expected = { kind: 'query', members: { txid, cid: '0' } }
    assert.deepEqual(
      posts.map(({ url, content }) => [url, content]),
      [[PostURL, expected]],
    )
    const address = redirecting.has(mask) ? new RegExp(`^${RedirectURL}\\?txid=${txid}&cid=0&sig=`) : /^null$/
    assert.match(String(redirect), address)
  })
}

test('with bit 11 what is posted is JSON, whatever the other bits are', async () => {
  for (const mask of [0, 0x10, 0x3f]) {
    const { posts, txid } = await payWith(mask | payment | json, { PostURL })
    const [post] = posts
    assert(post?.content.kind === 'json')
    assert.equal(JSON.parse(post.content.text).TransactionID, Number(txid))
    assert.equal(posts.length, 1)
  }
})

test('a form without addresses posts nothing and leads nowhere', async () => {
  for (const mask of [0, 1]) {
    const { posts, redirect } = await payWith(mask | payment, {})
    assert.deepEqual([posts, redirect], [[], null])
  }
})
