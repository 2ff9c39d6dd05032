import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expireLinksWork } from '#capabilities/links/expire-links.task.ts'
import { forgetOldLinks } from '#capabilities/links/forget-old-links.operation.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { findLink, lookAt, makeLink } from '../../../test/support/link-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

test('90 days after a link was over nothing of its payer is left, and what became of it is', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till, {
    MessageType: 'EMAIL',
    Person: { Firstname: 'Ada', Lastname: 'Miller', Email: 'ada@example.com', Phone: '+12125550123' },
    MessageBody: 'Root canal',
    Questions: [{ Question: 'Where does Ada live?', Answer: 'Springfield' }],
  })
  till.needs.clock.advance({ hours: 24 * 31 })
  await runDueNow(till.needs, expireLinksWork, till.account.accountId)
  till.needs.clock.advance({ hours: 24 * 80 })
  await forgetOldLinks(till.needs)
  assert.equal((await findLink(till, payer.url))['Recipient'], 'ada@example.com')
  till.needs.clock.advance({ hours: 24 * 10 })
  await forgetOldLinks(till.needs)
  const { link } = await lookAt(payer)
  const { payer: person, recipient, body, questions } = link
  assert.doesNotMatch(JSON.stringify([person, recipient, body, questions]), /Ada|Miller|ada@|555|Root|live/)
  const { State, RefID, Amount } = await findLink(till, payer.url)
  assert.deepEqual([State, RefID, Amount], ['EXPIRED', 'invoice-1042', 125])
})
