import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useGateway } from '../support/in-process-gateway.ts'
import { sendLink } from '../support/link-client.ts'

describe('the address of a payment that somebody has copied badly', () => {
  const gateway = useGateway()

  test('leads to the link where something stands behind it', async () => {
    const { pathname } = new URL(await sendLink(gateway()))
    for (const more of ['/', '/ok', '/a/b', '.', ')', ',']) {
      const { status, headers } = await gateway().get(pathname + more)
      assert.deepEqual([status, headers.location], [303, pathname], more)
    }
  })

  for (const half of ['/sw', '/sw/', '/sw/abc/', '/PayForm', '/PayForm/', '/PayForm/PF.asp'])
    test(`shows a page for people where only ${half} is left of it`, async () => {
      const { status, text } = await gateway().get(half)
      assert.equal(status, 404)
      assert.match(text, /<h1[^>]*>There is no such (?:link|page)<\/h1>/)
    })
})
