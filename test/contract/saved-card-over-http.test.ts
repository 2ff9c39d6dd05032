import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { orderForm } from '../support/form-client.ts'
import { goodCard } from '../support/form-world.ts'
import { type HttpAnswer, useGateway } from '../support/in-process-gateway.ts'

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search
const saveOnly = { eVisible: 'B020', eSubmission: '0408' }
const payAndSave = { eVisible: 'B020', eSubmission: '0608' }

function hiddenIn({ text }: HttpAnswer): Readonly<Record<string, string>> {
  const fields = text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]))
}

describe('the pages of a form that only saves a card', () => {
  const gateway = useGateway()

  // The page before, and the one after the payer has pressed its button.
  async function send(options: object, language: string): Promise<readonly [string, string]> {
    const path = pathOf(await orderForm(gateway(), {}, options))
    const headers = { 'accept-language': language }
    const open = await gateway().send({ method: 'GET', path, headers })
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ ...goodCard, ...hiddenIn(open), save: '1' }).toString()
    const sent = await gateway().send({ method: 'POST', path, headers: { ...headers, ...type }, body })
    const cookie = String(sent.headers['set-cookie']).split(';')[0] ?? ''
    const done = await gateway().send({ method: 'GET', path, headers: { ...headers, cookie } })
    assert.match(done.text, /class="notice done"/)
    return [open.text, done.text]
  }

  for (const [language, forWhom, card, untrue] of [
    ['en', 'with Corner Books', 'Card', /receipt|paid|to Corner Books/i],
    ['es', 'para Corner Books', 'Tarjeta', /recibo|pagado/i],
    ['fr', 'pour Corner Books', 'Carte', /reçu|payé/i],
  ] as const) {
    test(`say in ${language} with whom the card is, and of no payment`, async () => {
      const [open, done] = await send(saveOnly, language)
      assert.match(open, /name="email"/)
      assert.doesNotMatch(mainOf(open), untrue)
      assert.match(done, new RegExp(`<p class="lead">${forWhom}`))
      assert.match(done, new RegExp(`<dt>${card}</dt><dd>Visa`))
      assert.doesNotMatch(mainOf(done), untrue)
    })
  }

  test('while one that is paid on, too, has both', async () => {
    const [open, done] = await send(payAndSave, 'en')
    assert.match(open, /For your receipt/)
    assert.match(done, /to Corner Books[^]*<dt>Paid with<\/dt><dd>Visa/)
  })
})

// What is read, without the words that wait for the script.
function mainOf(page: string): string {
  return /<main[^]*<\/main>/.exec(page)?.[0].replaceAll(/class="[^"]*"/g, '') ?? ''
}
