import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queueReceipt } from '#capabilities/messages/queue-receipt.operation.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { messagesOf, openDesk } from '../../../test/support/message-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, type Till } from '../../../test/support/till.ts'

const world = useWorld()

test('a payer is mailed the receipt that the merchant could print, in both forms', async () => {
  const till = await openTill(world())
  const told = await mail(till, await sell(till, 9812.5), ' Ada@Example.com ')
  assert(told.ok)
  const [message] = await messagesOf(till)
  assert(message)
  assert.deepEqual(
    [message.recipient, message.purpose, message.subject],
    ['Ada@example.com', 'receipt', 'Your receipt from Corner Books'],
  )
  assert.match(message.text, /Sale approved: \$9,812\.50/)
  assert.match(message.text, /^Card type: Visa ending 1111$/m)
  assert.match(message.text, /^Total: \$9,812\.50 USD$/m)
  assert.doesNotMatch(message.text, /x1111|xxxx/)
  assert.match(message.text, /^Transaction ID: \d+$/m)
  assert.match(message.text, /Test, no money moves/)
  assert.match(message.html ?? '', /\$9,812\.50/)
})

test('a receipt by mail speaks the language in which the payer read the page', async () => {
  const till = await openTill(world())
  assert((await mail(till, await sell(till, 12.5), 'ada@example.com', 'fr')).ok)
  const [message] = await messagesOf(till)
  assert.equal(message?.subject, 'Votre reçu de Corner Books')
  assert.match(message.text, /Vente approuvée: 12,50\s\$US/)
  assert.match(message.text, /^Montant: 12,50\s\$US$/m)
  assert.match(message.text, /^Carte: Visa se terminant par 1111$/m)
  assert.match(message.text, /^Date: \d{1,2} [a-zéû.]+ \d{4}, \d\d:\d\d$/m)
  assert.match(message.text, /^Mode de saisie: Manuelle$/m)
  assert.match(message.html ?? '', /<html lang="fr">[^]*Mode test&#xA0;: aucun d/)
  assert.doesNotMatch(message.text, /no money moves|approved|Manual$/m)
})

test('an address that is none, and a payment that is none, are refused and nothing is queued', async () => {
  const { needs } = await openDesk(world())
  const till = await openTill(needs)
  const wrong = await mail(till, await sell(till, 10), 'ada@')
  assert.equal(!wrong.ok && wrong.refusal.kind, 'invalid_email')
  const { accountId } = till.account
  const attempt = {
    accountId,
    merchantNumber: merchantNumber(1),
    attemptId: attemptId(999_999n),
    kind: 'sale',
  } as const
  const none = await needs.db.inTransaction((tx) =>
    queueReceipt(needs, tx, { attempt, email: 'ada@example.com', ...usual }),
  )
  assert.equal(!none.ok && none.refusal.kind, 'receipt_not_found')
  assert.deepEqual(await messagesOf(till), [])
})

const usual = { locale: '', kept: null, because: 'payer' } as const

async function mail({ needs, account }: Till, sale: number, email: string, locale = 'en-US') {
  const sought = { account: account.accountId, attempt: attemptId(BigInt(sale)) }
  const attempt = await findAttemptOf(needs, sought)
  assert(attempt)
  return needs.db.inTransaction((tx) => queueReceipt(needs, tx, { ...usual, attempt, email, locale }))
}
