import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CardNumber } from '#kernel/card-number.ts'
import { currencyCode } from '#kernel/currency.ts'
import { moneyFromDecimal } from '#kernel/money.ts'
import { parseDecimal } from '#kernel/decimal.ts'
import { Secret } from '#kernel/secret.ts'
import { achRows } from './ach-rows.ts'
import { Bank } from './bank.ts'
import type { BankAuthorization, Reply } from './bank-request.ts'
import { kindOfCard } from './card-rows.ts'
import { openMemoryLog } from './memory-log.ts'
import { VirtualTime } from './virtual-time.ts'

// Walks the page that people read, and asks the bank for everything that it promises.

const page = readFileSync(join(import.meta.dirname, '../docs/sandbox.md'), 'utf8')
const usd = currencyCode('USD')
assert(usd)

function tableAfter(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const lines =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => line.startsWith('|')) ?? []
  const cells = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return cells.slice(2)
}

function money(text: string) {
  const decimal = parseDecimal(text)
  const amount = decimal && usd ? moneyFromDecimal(decimal, usd) : null
  assert(amount, `${text} is an amount`)
  return amount
}

type Wish = { readonly number?: string; readonly amount?: string; readonly zip?: string }

function stage() {
  const time = new VirtualTime()
  const bank = new Bank({ log: openMemoryLog(), clock: time, scheduler: time })
  let count = 0
  const authorize = async ({ number = '4111111111111111', amount = '10.00', zip = '10001' }: Wish) => {
    const card = CardNumber.parse(number)
    assert(card, `${number} is a card number`)
    const heard: Reply[] = []
    const request: BankAuthorization = {
      verb: 'authorize',
      ref: `ref-${(count += 1)}`,
      card: {
        number: card,
        expiry: { month: 12, year: 2030 },
        securityCode: new Secret('123'),
        street: '1 Main',
        zip,
      },
      amount: money(amount),
      fee: money('0'),
      terminalId: 'T1',
      isRecurring: false,
    }
    await bank.receive(request, { say: (reply) => heard.push(reply as Reply), hangUp: () => assert.fail() })
    return { ref: request.ref, heard, reply: heard[0] }
  }
  const inquire = async (ref: string) => {
    const heard: Reply[] = []
    await bank.receive(
      { verb: 'inquire', ref },
      { say: (reply) => heard.push(reply as Reply), hangUp: () => assert.fail() },
    )
    return heard
  }
  return { time, bank, authorize, inquire }
}

const answerOf = (reply: Reply | undefined) =>
  reply?.outcome === 'approved' ? 'approved' : (reply?.code ?? 'silence')

describe('card numbers of the page', () => {
  for (const [number = '', kind, charge = '', verification, avs, cvv] of tableAfter('By card number')) {
    test(`${number} answers ${charge}, and ${verification} to a verification`, async () => {
      const { authorize } = stage()
      const verified = await authorize({ number, amount: '0' })
      assert.equal(answerOf(verified.reply), verification)
      const [answers = '', advice = ''] = charge.split(', advice ')
      for (const expected of answers.split(', ')) {
        const { reply } = await authorize({ number })
        assert.equal(answerOf(reply), expected)
        assert.equal(reply?.advice, advice)
        assert.deepEqual([reply?.avs, reply?.cvv], [avs, cvv])
      }
      assert.equal(kindOfCard(number), kind)
    })
  }

  test('are all that there are', () => {
    assert.equal(tableAfter('By card number').length, 37)
  })
})

describe('amounts of the page', () => {
  const rows = tableAfter('By amount')

  for (const [cents, example = '', answer = ''] of rows) {
    test(`${example}: ${answer}`, async () => {
      assert.equal(example.slice(-3), cents)
      const { authorize, inquire, time, bank } = stage()
      const { ref, heard, reply } = await authorize({ amount: example })
      const [kind, detail = ''] = answer.split(/,? (.*)/)
      if (kind === 'declined') return assert.equal(reply?.code, detail)
      if (/^\d/.test(detail)) {
        assert.equal(reply?.approvedMinor, money(detail).minor)
        assert.equal(reply?.code, cents === '.10' ? '10' : '00')
        return undefined
      }
      if (detail === 'told twice') return assert.equal(heard.length, 2)
      assert.equal(heard.length, 0)
      if (detail === 'not told') return assert.equal((await inquire(ref))[0]?.outcome, 'approved')
      if (detail === 'after 40 s') {
        time.advance(39_999)
        assert.equal(heard.length, 0)
        time.advance(1)
        return assert.equal(heard[0]?.outcome, 'approved')
      }
      assert.equal(detail, 'silent 2 min')
      const asked = await inquire(ref)
      time.advance(119_999)
      assert.deepEqual([asked.length, (await inquire(ref)).length], [0, 0])
      time.advance(1)
      assert.equal((await inquire(ref))[0]?.outcome, 'approved')
      assert.equal((await bank.log.read({ last: 1 }))[0]?.reply.outcome, 'approved')
      return assert.equal(heard.length, 0)
    })
  }

  test('are all that there are', () => {
    assert.equal(rows.length, 16)
  })
})

describe('zips of the page', () => {
  for (const [zip = '', answer, avs] of tableAfter('By zip')) {
    test(`${zip} answers ${answer} and AVS ${avs}`, async () => {
      const { reply } = await stage().authorize({ zip: /^\d/.test(zip) ? zip : '90210' })
      assert.deepEqual([answerOf(reply), reply?.avs], [answer, avs])
    })
  }
})

test('the page lists every bank account that provokes something, and says what', () => {
  const rows = achRows.map(({ account, code, meaning }) => [account, code, meaning])
  assert.deepEqual(tableAfter('By bank account'), rows)
})
