import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { findForm, orderForm } from '../support/form-client.ts'
import { goodCard } from '../support/form-world.ts'
import { type HttpAnswer, useGateway } from '../support/in-process-gateway.ts'
import { dumpTables, formsOf, hasCode, type LogPosition, logPosition, logSince } from '../support/leaks.ts'
import { newConsent, sendLink } from '../support/link-client.ts'
import { whileFailing } from './error-shop.ts'
import { freshBody } from './fresh-call.ts'

// Charges of every kind are made with two security codes each, and the codes are looked for wherever the
// gateway keeps anything: tables, the database's write-ahead log, the lines it logs, the posts it sends.

const codes = ['7391', '8642'] as const
// American Express, whose codes have four digits.
const number = '378282246310005'
// A code stands alone in a stripe as well; what follows it stands nowhere else.
const further = '867530986753'
const holder = 'QUETZAL/ZENOBIA'
const track = `%B${number}^${holder}^3012101${further}?`

const withCard = operations
  .map(({ contract }) => contract)
  .filter(({ request }) => Object.hasOwn(request.properties, 'ccCardInfo'))

const typed = { AccountNumber: number, ExpMonth: 12, ExpYear: 2098 }
type Card = Readonly<Record<string, unknown>>
// What a call sends as its card, and what comes of it.
const sendings: Readonly<Record<string, (CSV: string) => { readonly card: Card; readonly amount?: number }>> =
  {
    approved: (CSV) => ({ card: { ...typed, CSV } }),
    'swiped, then typed': (CSV) => ({ card: { Track: track, CSV } }),
    declined: (CSV) => ({ card: { ...typed, CSV }, amount: 9900.41 }),
    'approved with an answer that is lost': (CSV) => ({ card: { ...typed, CSV }, amount: 9900.98 }),
    'of an unreadable stripe': (CSV) => ({ card: { Track: track.slice(0, -1), CSV } }),
    'of two cards': (CSV) => ({ card: { ...typed, ExpYear: 2031, Track: track, CSV } }),
    'of a bad number': (CSV) => ({ card: { ...typed, AccountNumber: '378282246310006', CSV } }),
    'of an expired card': (CSV) => ({ card: { ...typed, ExpYear: 2020, CSV } }),
    'with a code that is a number': (CSV) => ({ card: { ...typed, CSV: Number(CSV) } }),
    'with a code of another name': (CSV) => ({ card: { ...typed, cSV: CSV, CVV: CSV } }),
    'with a code in a list': (CSV) => ({ card: { ...typed, CSV: [CSV] } }),
    'with a code and a blank': (CSV) => ({ card: { ...typed, CSV: `${CSV} ` } }),
  }

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search

const kindIn = ({ text }: HttpAnswer): unknown => JSON.parse(text).kind

describe('security codes and tracks', () => {
  const lines: string[] = []
  const gateway = useGateway({ TILLGATE_PATIENCE_PERCENT: '5' }, (line) => lines.push(line))
  const answers: string[] = []
  let client: pg.Client | null = null
  let start: LogPosition | null = null
  let sessionKey = ''

  before(async () => {
    client = new pg.Client({ connectionString: gateway().databaseUrl })
    await client.connect()
    sessionKey = await gateway().signIn()
  })
  beforeEach(async () => {
    lines.length = 0
    answers.length = 0
    start = client && (await logPosition(client))
  })
  after(() => client?.end())

  const sql = (text: string) => client?.query(text) ?? assert.fail()

  async function send(
    contract: ContractFacts,
    { card, amount }: { readonly card: Card; readonly amount?: number },
    key?: string,
  ): Promise<HttpAnswer> {
    const body = await freshBody(gateway(), sessionKey, contract)
    const Amounts = amount === undefined ? {} : { Amounts: { BaseAmt: amount } }
    const headers = { SessKey: sessionKey, ...(key && { 'Idempotency-Key': key }) }
    const whole = { ...body, ...('Amounts' in body && Amounts), ccCardInfo: card }
    const answer = await gateway().post(contract.prefix + contract.path, whole, headers)
    answers.push(answer.text)
    return answer
  }

  async function submit(path: string, fields: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    const page = await gateway().get(path)
    const [form = ''] = /<form[^]*?<\/form>/.exec(page.text) ?? []
    const hidden = form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)
    const shown = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]))
    const cookie = String(page.headers['set-cookie']).split(';')[0] ?? ''
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      cookie,
    }
    const body = new URLSearchParams({ ...goodCard, number, total: '12500', ...shown, ...fields }).toString()
    const answer = await gateway().send({ method: 'POST', path, headers, body })
    answers.push(answer.text)
    return answer
  }

  async function assertNothingKept(): Promise<void> {
    assert(client && start)
    const places = {
      tables: await dumpTables(client),
      // The files of the write-ahead log cannot be read where the server is another machine.
      'write-ahead log': (await logSince(client, start)) ?? Buffer.alloc(0),
      'lines of the log': Buffer.from(lines.join('')),
      answers: Buffer.from(answers.join('\n')),
    }
    for (const [place, bytes] of Object.entries(places)) {
      const kept = codes.every((code) => hasCode(bytes, code))
      assert(!kept, `the ${place} hold the security codes`)
      for (const form of [...formsOf(further), ...formsOf(number), Buffer.from(holder)])
        assert(!bytes.includes(form), `the ${place} hold ${form.toString('latin1')}`)
    }
  }

  test('there are operations that take a card', () => assert(withCard.length >= 3))

  for (const contract of withCard) {
    for (const [what, sending] of Object.entries(sendings)) {
      test(`${contract.path} keeps neither, ${what}`, async () => {
        for (const [at, code] of codes.entries()) {
          await send(contract, sending(code), `${contract.resultKey}-${what.replaceAll(' ', '-')}-${at}`)
          await send(contract, sending(code))
        }
        await assertNothingKept()
      })
    }

    test(`${contract.path} keeps neither where PostgreSQL refuses the row`, async () => {
      for (const [at, code] of codes.entries()) {
        const ask = async () => {
          await send(contract, { card: { ...typed, CSV: code } }, `refused-${contract.resultKey}-${at}`)
          return { FunctionOk: false, ErrCode: 0, ErrMsg: '', RespMsg: '' }
        }
        for (const state of ['23514', '08006', 'XX000'])
          await whileFailing({ gateway: gateway(), sessionKey, sql }, state, ask)
      }
      await assertNothingKept()
    })
  }

  for (const [what, amount, kind] of [
    ['is paid', 125, 'paid'],
    ['is declined', 9900.41, 'declined'],
    ['is not answered', 9900.98, 'pending'],
  ] as const) {
    test(`a form that ${what} keeps neither`, async () => {
      for (const code of codes) {
        const url = await orderForm(gateway(), { PostURL: 'http://127.0.0.1:9/' }, {})
        await sql(`update form set amount_minor = ${Math.round(amount * 100)} where amount_minor = 12500`)
        const answer = await submit(pathOf(url), { code, total: String(Math.round(amount * 100)) })
        assert.equal(kindIn(answer), kind, answer.text)
        await findForm(gateway(), url)
      }
      await assertNothingKept()
    })
  }

  test('a form whose code is not right keeps neither', async () => {
    for (const code of codes) {
      const url = await orderForm(gateway())
      const answer = await submit(pathOf(url), { code: `${code} 1`, fileCode: code, track })
      assert.equal(kindIn(answer), 'problems', answer.text)
    }
    await assertNothingKept()
  })

  test("an order whose payer is sent to the payer's bank keeps neither", async () => {
    for (const code of codes) {
      const url = await orderForm(gateway(), { MerchID: 3, WTYPE: 'PA' })
      const answer = await submit(pathOf(url), { code })
      assert.equal(kindIn(answer), 'paid', answer.text)
    }
    await assertNothingKept()
  })

  test('a link that is paid with the card on file, or with another one, keeps neither', async () => {
    const consent = await newConsent(gateway(), number)
    for (const code of codes) {
      const url = await sendLink(gateway(), { ConsentID: consent })
      const onFile = await submit(pathOf(url), { method: 'onfile', fileCode: code })
      assert.equal(kindIn(onFile), 'paid', onFile.text)
      const answer = await submit(pathOf(await sendLink(gateway())), { code })
      assert.equal(kindIn(answer), 'paid', answer.text)
    }
    await assertNothingKept()
  })

  test('a code that is written down is found in any of its forms', async () => {
    assert(client && start)
    await sql('create table leak (line text)')
    const forms = ['7391', '"CSV":"7391"', Buffer.from('7391').toString('hex'), btoa('7391')]
    for (const form of forms) {
      await sql(`insert into leak values ('${form}')`)
      assert(hasCode(await dumpTables(client), '7391'), form)
      await sql('delete from leak')
    }
    const log = await logSince(client, start)
    assert(log === null || hasCode(log, '7391'))
    await sql('drop table leak')
  })
})
