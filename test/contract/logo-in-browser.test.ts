import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import pg from 'pg'
import { useBrowser } from '../support/browser.ts'
import { keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable, openPayer, phone } from '../support/form-page.ts'
import { type TestGateway, useGateway } from '../support/in-process-gateway.ts'
import { sendLink } from '../support/link-client.ts'
import { pngOf } from '../support/pictures.ts'

const logo = pngOf(120, 40)
const favicon = pngOf(32, 32)

// As `tillgate form set` keeps them once it has fetched them; returns their names.
async function keepPictures({ databaseUrl }: TestGateway): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const names: string[] = []
  for (const [kind, content, width, height] of [
    ['logo', logo, 120, 40],
    ['favicon', favicon, 32, 32],
  ] as const) {
    const name = `${createHash('sha256').update(content).digest('hex').slice(0, 32)}.png`
    names.push(name)
    await client.query(
      `insert into form_picture
       select account_id, merchant_number, $1, $2, $3, $4, $5, '', '2026-01-01' from merchant`,
      [kind, name, width, height, content],
    )
  }
  await client.end()
  return names
}

describe('the logo and favicon of a merchant', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  test('a form without a favicon has the first letter of its merchant', async () => {
    await using context = await browser().open(phone)
    const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
    await page.goto(await orderForm(gateway()))
    const icon = await page.locator('link[rel=icon]').getAttribute('href')
    const [kind = '', drawing = ''] = icon?.split(',', 2) ?? []
    assert.equal(kind, 'data:image/svg+xml')
    assert.match(decodeURIComponent(drawing), /<svg [^]*>C<\/text>/)
    assert.equal(await page.locator('.mark').innerText(), 'C')
    assertCalm()
  })

  test('are served from here, and the logo shows where eVisible shows logos', async () => {
    const [logoName = '', faviconName = ''] = await keepPictures(gateway())
    for (const colorScheme of ['light', 'dark'] as const) {
      await using context = await browser().open(phone, { colorScheme })
      const { page, assertCalm } = await openPayer(context, gateway().baseUrl)
      await page.addInitScript(`window.shifts = []
        new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shifts.push(value) })
          .observe({ type: 'layout-shift', buffered: true })`)
      for (const url of [
        await orderForm(gateway()),
        await sendLink(gateway(), { OptParam: 'VISIBLE|A060' }),
      ]) {
        await page.goto(url)
        const shown = page.locator('.top img')
        assert.equal(await shown.getAttribute('src'), `/PayForm/pictures/${logoName}`)
        assert.equal(
          await page.locator('link[rel=icon]').getAttribute('href'),
          `/PayForm/pictures/${faviconName}`,
        )
        const size = '(({ naturalWidth, width, height }) => [naturalWidth, width, height])'
        assert.deepEqual(await page.evaluate(`${size}(document.querySelector('.top img'))`), [120, 120, 40])
        assert.deepEqual(await page.evaluate('shifts'), [])
        await assertUsable(page, url)
      }
      await keepScreen(page, `logo-${colorScheme}-360`)
      await page.goto(await orderForm(gateway(), {}, { eVisible: '2063' }))
      assert.equal(await page.locator('.top img').count(), 0)
      assert.equal(await page.locator('.mark').innerText(), 'C')
      assertCalm()
    }
  })

  test('are kept by browsers for ever, and run nothing', async () => {
    const { text } = await gateway().get(new URL(await orderForm(gateway())).pathname + '?s=0')
    assert.doesNotMatch(text, /pictures/, 'a page of no merchant has none')
    const name = `${createHash('sha256').update(logo).digest('hex').slice(0, 32)}.png`
    const { status, headers } = await gateway().get(`/PayForm/pictures/${name}`)
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'image/png')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; sandbox$/)
    assert.match(String(headers['cache-control']), /max-age=31536000, immutable/)
    for (const missing of [name.replace('.png', '.ico'), 'a.png', `${'0'.repeat(32)}.png`, '..%2fx'])
      assert.equal((await gateway().get(`/PayForm/pictures/${missing}`)).status, 404, missing)
  })
})
