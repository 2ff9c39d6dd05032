import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { useBrowser } from '../support/browser.ts'
import { count } from '../support/counts.ts'
import { orderForm } from '../support/form-client.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const pieces = [
  '<script>ran()</script>',
  '"><img src=x onerror=ran()>',
  "' autofocus onfocus=ran() '",
  '</title><svg/onload=ran()>',
  '</script><script>ran()</script>',
  '<style>*{display:none}</style>',
  '--><iframe srcdoc="<script>parent.ran()</script>">',
  'javascript:ran()',
  '\u003cscript>ran()',
  '{{constructor.constructor("ran()")()}}',
  '${ran()}',
  '&lt;img src=x onerror=ran()&gt;',
  '<a href="javascript:ran()">',
  '<base href="//evil.example">',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
]
const payloads = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 8 })), { minLength: 1, maxLength: 3 })
  .map((some) =>
    some
      .join('')
      .replace(/\p{Cc}/gu, '')
      .trim()
      .slice(0, 75),
  )
  .filter((text) => text !== '')

// Through every field that reaches a page, by the merchant's system and by the payer.
describe('text that wants to be more than text', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  for (const isScripted of [true, false]) {
    const where = isScripted ? 'with script' : 'without script'
    test(`runs nothing, loads nothing and breaks no policy, ${where}`, async () => {
      await using context = await browser().open(
        { width: 768, height: 900 },
        { javaScriptEnabled: isScripted },
      )
      const page = await context.newPage()
      page.setDefaultTimeout(5_000)
      const seen: string[] = []
      await page.exposeFunction('ran', () => seen.push('ran'))
      page.on('dialog', (dialog) => seen.push(dialog.message()))
      page.on('console', (message) => {
        if (/policy|trusted/i.test(message.text())) seen.push(message.text())
      })
      page.on('request', (request) => {
        if (!request.url().startsWith(gateway().baseUrl) && !request.url().startsWith('data:'))
          seen.push(request.url())
      })
      await fc.assert(
        fc.asyncProperty(payloads, fc.constantFrom('0040', 'FFFF'), async (payload, eReadOnly) => {
          const Payer = {
            Firstname: payload,
            Lastname: payload,
            Email: payload,
            BillingAddress: {
              StreetAddress: payload,
              City: payload,
              State: payload,
              ZIP: payload.slice(0, 20),
            },
          }
          const changes = { Payer, REF_ID: payload, RPGUID: payload }
          await page.goto(await orderForm(gateway(), changes, { eVisible: 'FFFF', eReadOnly }))
          await fillIn(page, payload, isScripted)
          assert.deepEqual(seen, [], payload)
        }),
        { numRuns: count({ usual: 12, full: 250 }), endOnFailure: true },
      )
    })
  }
})

// A browser judges e-mail addresses by itself where no script does.
async function fillIn(page: Page, payload: string, isScripted: boolean): Promise<void> {
  const email = isScripted ? payload : ''
  if (await page.locator('#f-email').isVisible()) await page.fill('#f-email', email)
  for (const name of ['firstName', 'lastName', 'street', 'city', 'state', 'zip', 'number'])
    if (await page.locator(`#f-${name}`).isVisible()) await page.fill(`#f-${name}`, payload)
  await page.click('#pay')
  await page.locator('[aria-invalid=true]').first().waitFor()
}
