import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { servedPages } from '#transport/browser/markdown.page.ts'
import { useGateway } from '../support/in-process-gateway.ts'

// The name of a page as the file that it is, where nobody can follow it.
const fileNamed = new RegExp(`docs/(?:errors|${servedPages.join('|')})\\.md`)

describe('whoever reads the docs of a gateway', () => {
  const gateway = useGateway()

  async function leadsSomewhere(from: string, address: string): Promise<boolean> {
    const url = new URL(address, gateway().baseUrl + from)
    const { status, text } = await gateway().get(url.pathname + url.search)
    return status === 200 && (url.hash === '' || text.includes(`id="${url.hash.slice(1)}"`))
  }

  async function deadLinks(from: string, addresses: readonly string[]): Promise<readonly string[]> {
    const own = [...new Set(addresses)].filter((address) => /^[/#]/.test(address))
    const alive = await Promise.all(own.map((address) => leadsSomewhere(from, address)))
    return own.filter((_, at) => !alive[at])
  }

  for (const path of ['errors', ...servedPages].map((page) => `/docs/${page}`)) {
    test(`can follow every link of ${path}, and every page that it names is a link`, async () => {
      const { text } = await gateway().get(path)
      const addresses = Array.from(text.matchAll(/ href="([^"]+)"/g), ([, address = '']) => address)
      assert.deepEqual(await deadLinks(path, addresses), [])
      assert.doesNotMatch(text.replaceAll(/<a [^]*?<\/a>/g, ''), fileNamed)
    })
  }

  test('finds in the remedy of an error the page that it names', async () => {
    const { text } = await gateway().get('/docs/errors')
    assert.match(text, /The limits stand in <a href="\/docs\/configuration">docs\/configuration\.md<\/a>\./)
  })

  test('can follow every link of the reference, and every page that it names is one', async () => {
    const { text } = await gateway().get('/openapi.json')
    const link = /\[[^\]]+\]\((\/[^)]*)\)/g
    const addresses = Array.from(text.matchAll(link), ([, address = '']) => address)
    assert(addresses.includes('/docs/query-language') && addresses.includes('/docs/events'))
    assert.deepEqual(await deadLinks('/docs', addresses), [])
    assert.doesNotMatch(text.replaceAll(link, ''), fileNamed)
  })
})
