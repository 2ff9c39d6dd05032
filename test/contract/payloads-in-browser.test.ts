import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { mailOf } from '#capabilities/messages/mail.page.ts'
import { useBrowser } from '../support/browser.ts'
import { count } from '../support/counts.ts'
import { initPath, orderForm } from '../support/form-client.ts'
import { formOrder } from '../support/form-world.ts'
import { hostileTexts } from '../support/hostile-texts.ts'
import { useGateway } from '../support/in-process-gateway.ts'

const prefilled = [
  'Firstname',
  'Lastname',
  'Email',
  'REF_ID',
  'RPGUID',
  'StreetAddress',
  'City',
  'State',
  'ZIP',
]
const typed = ['firstName', 'lastName', 'street', 'city', 'state', 'zip', 'email', 'clientRef', 'guid']
const places = prefilled.length + typed.length

// Each text goes through some field in every run, and through every field when there is time.
const forms = count({ usual: Math.ceil(hostileTexts.length / places), full: hostileTexts.length })
const textAt = (form: number, place: number): string => {
  const step = forms < hostileTexts.length ? forms : Math.floor(hostileTexts.length / places)
  return hostileTexts[(form + place * step) % hostileTexts.length] ?? ''
}

describe('text that wants to be more than text', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  type Watched = { readonly page: Page; readonly seen: string[] }
  async function watched(context: BrowserContext): Promise<Watched> {
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    const seen: string[] = []
    await page.exposeFunction('ran', () => seen.push('ran'))
    await page.exposeFunction('reported', (what: string) => seen.push(what))
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (one) =>
      reported('policy: ' + one.effectiveDirective))`)
    page.on('dialog', (dialog) => seen.push(dialog.message()))
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(gateway().baseUrl) && !/^(?:data|about):/.test(url)) seen.push(url)
    })
    return { page, seen }
  }

  test(`${hostileTexts.length} texts run nothing, from the open page to the receipt`, async (t) => {
    assert.equal(new Set(hostileTexts).size, 500)
    await using context = await browser().open({ width: 768, height: 900 })
    const { page, seen } = await watched(context)
    // A merchant may show a receipt in a page without any policy.
    const bare = await watched(context)
    for (let form = 0; form < forms; form++) {
      const eReadOnly = form % 3 === 0 ? '00C0' : '0040'
      await page.goto(await orderForm(gateway(), orderWith(form), { eVisible: 'FFFF', eReadOnly }))
      // Past the script, so that the server writes into its next page what was typed.
      const texts = Object.fromEntries(typed.map((name, at) => [name, textAt(form, prefilled.length + at)]))
      await Promise.all([page.waitForNavigation(), page.evaluate(sendTyped(texts))])
      await page.locator('[aria-invalid=true]').first().waitFor()
      await page.evaluate(fillIn({ ...good, firstName: texts['firstName'] ?? '', lastName: 'x<b>"\'' }))
      await page.click('#pay')
      await page.locator('.done, [aria-invalid=true]').first().waitFor()
      assert.deepEqual(await page.locator('[aria-invalid=true]').all(), [], `form ${form}`)
      const receipt = await page.locator('.actions a').last().getAttribute('href')
      const answer = await page.goto(gateway().baseUrl + String(receipt))
      assert.equal(answer?.status(), 200)
      await bare.page.setContent((await answer?.text()) ?? '')
      assert.deepEqual([...seen, ...bare.seen], [], `form ${form}`)
    }
    // What is put in on purpose is noticed.
    await page.goto(await orderForm(gateway()))
    await page.evaluate(
      "setTimeout(() => document.head.append(Object.assign(document.createElement('style'), { textContent: '*{}' })))",
    )
    await bare.page.setContent('<img src=x onerror=ran()>')
    await t.waitFor(() => assert.deepEqual([...seen, ...bare.seen], ['policy: style-src-elem', 'ran']), {
      timeout: 30_000,
    })
  })

  test('in the pages of the sandbox they run nothing either', async () => {
    await using context = await browser().open({ width: 768, height: 900 })
    const { page, seen } = await watched(context)
    for (let at = 0; at < hostileTexts.length; at += 50) {
      const some = hostileTexts.slice(at, at + 50)
      await gateway().send({
        method: 'POST',
        path: `/sandbox/inbox/hostile?x=${encodeURIComponent(some[0] ?? '')}`,
        headers: { 'content-type': 'text/html', 'x-hostile': `"><img src=x onerror=ran()>${at}` },
        body: some.join('\n'),
      })
      await page.goto(`${gateway().baseUrl}/sandbox/forms`)
      const boxes = await page
        .locator('input:not([type=checkbox]):not([type=radio]):not([type=hidden])')
        .all()
      for (const [place, box] of boxes.entries()) await box.fill(some[place] ?? '')
      await Promise.all([page.waitForNavigation(), page.locator('button').first().click()])
      const shown = await page.locator('input[name=reference]').inputValue()
      assert.ok(some.includes(shown), `the page shows what was typed: ${shown}`)
    }
    await page.goto(`${gateway().baseUrl}/sandbox/inbox`)
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    assert.match(await page.locator('body').innerText(), /onerror=ran\(\)/)
    assert.deepEqual(seen, [])
  })

  test('in a mail, which has no policy, they run nothing either', async (t) => {
    await using context = await browser().open({ width: 768, height: 900 })
    const { page, seen } = await watched(context)
    for (let at = 0; at < hostileTexts.length; at += 10) {
      const [a = '', b = '', c = '', d = '', e = '', ...facts] = hostileTexts.slice(at, at + 10)
      const { html } = mailOf({
        merchantName: a,
        title: b,
        amount: c,
        paragraphs: [d],
        facts: facts.map((text) => ({ label: text, value: text })),
        button: { label: e, href: 'https://pay.example/sw/x' },
        footer: [a],
        isSandbox: true,
      })
      await page.setContent(html)
      assert.deepEqual(seen, [], `texts from ${at}`)
    }
    await page.setContent('<img src=x onerror=ran()>')
    await t.waitFor(() => assert.deepEqual(seen, ['ran']), { timeout: 30_000 })
  })

  test('none of them is taken for a colour', async () => {
    const headers = { SessKey: await gateway().signIn() }
    for (const text of hostileTexts.filter((_, at) => at % 10 < 2)) {
      const eColors = `${text},red,red,red,red,red,red`
      const { text: answer } = await gateway().post(initPath, formOrder({}, { eColors }), headers)
      assert.match(answer, /eColors has/, text)
    }
  })
})

function orderWith(form: number): object {
  const of = (name: string, most = 75) => textAt(form, prefilled.indexOf(name)).slice(0, most)
  const BillingAddress = {
    StreetAddress: of('StreetAddress'),
    City: of('City'),
    State: of('State'),
    ZIP: of('ZIP', 20),
  }
  // As much of it as an address may hold; the rest is refused before it gets anywhere.
  const Email = `a${of('Email').replace(/[\s@<>,;]/g, '')}@example.com`
  const Payer = { Firstname: of('Firstname'), Lastname: of('Lastname'), Email, BillingAddress }
  return { Payer, REF_ID: of('REF_ID'), RPGUID: of('RPGUID') }
}

const good = { number: '4242424242424242', expiry: '12/30', code: '123', zip: '62701', email: '', agree: '1' }

function fillIn(texts: Readonly<Record<string, string>>): string {
  return `for (const [name, text] of Object.entries(${JSON.stringify(texts)})) {
    const box = document.getElementById('f-' + name)
    if (!box) continue
    if (box.type === 'checkbox') box.checked = true
    else box.value = text
    for (const type of ['input', 'change', 'blur']) box.dispatchEvent(new Event(type))
  }`
}

function sendTyped(texts: Readonly<Record<string, string>>): string {
  return `${fillIn(texts)}
    HTMLFormElement.prototype.submit.call(document.getElementById('form'))`
}
