import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import type { Receipt } from '#capabilities/receipts/receipt.ts'
import { receiptPage } from '#capabilities/receipts/receipt.page.ts'
import { screens, useBrowser } from '../../../test/support/browser.ts'
import { count } from '../../../test/support/counts.ts'

// Anything that a field could hold, and the pieces of markup that would do harm if they came together.
const hostile = fc.constantFrom(
  '<script>',
  '</dd>',
  '&',
  '&lt;',
  '"',
  "'",
  '<!--',
  '-->',
  ']]>',
  '<\u00e9/dd>',
  '\u0130',
)
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 6 })
    .map((all) => all.join('')),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((all) => String.fromCharCode(...all)),
)

const anyReceipt: fc.Arbitrary<Receipt> = fc.record({
  title: anyText,
  outcome: anyText,
  merchant: fc.record({ name: anyText, location: anyText, address: anyText }),
  rows: fc.array(fc.record({ label: anyText, value: anyText }), { maxLength: 4 }),
  total: fc.option(anyText),
  isSandbox: fc.boolean(),
})

// The page as a tree: names of elements, and their texts. A page of ours is also well-formed XML, so a strict
// parser can be the judge.
function treeOf(page: string): readonly string[] {
  const parser = new SaxesParser()
  const tree: string[] = []
  let text = ''
  const flush = (): void => {
    if (text.trim() !== '') tree.push(`=${text}`)
    text = ''
  }
  parser.on('opentag', ({ name }) => {
    flush()
    tree.push(`<${name}`)
  })
  parser.on('closetag', () => {
    flush()
    tree.push('>')
  })
  parser.on('text', (piece) => (text += piece))
  parser.on('error', (error) => {
    throw error
  })
  parser.write(page.replace('<!doctype html>', '')).close()
  return tree
}

// What a page can show of a text: control characters, halves of pairs and what is no character at all become
// the sign for something unreadable.
function shown(text: string): string {
  return Array.from(text, (character) =>
    isReadable(character.codePointAt(0) ?? 0) ? character : '\ufffd',
  ).join('')
}

function isReadable(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a
  const never = [
    [0x7f, 0x9f],
    [0xd800, 0xdfff],
    [0xfdd0, 0xfdef],
  ] as const
  return code % 0x10000 < 0xfffe && never.every(([low, high]) => code < low || code > high)
}

test('whatever the fields hold, the page is ASCII, and stripping it changes nothing', () => {
  fc.assert(
    fc.property(anyReceipt, (receipt) => {
      const page = receiptPage(receipt, ['merchant', 'customer'])
      const stripped = page.replace(/\P{ASCII}/gu, '')
      assert.equal(stripped, page)
      assert.deepEqual(treeOf(stripped), treeOf(page))
    }),
    { numRuns: count({ full: 100_000, usual: 1_000 }) },
  )
})

test('whatever the fields hold, they are text and never markup', () => {
  fc.assert(
    fc.property(anyReceipt, (receipt) => {
      const tree = treeOf(receiptPage(receipt, ['customer']))
      const rows = receipt.rows.flatMap(({ label, value }) => [
        '<div',
        '<dt',
        ...cell(label),
        '>',
        '<dd',
        ...cell(value),
        '>',
        '>',
      ])
      const list = tree.slice(tree.indexOf('<dl') + 1, tree.indexOf('<footer') - 1)
      assert.deepEqual(list, rows)
      assert.equal(tree.filter((node) => node === '<article').length, 1)
      assert(!tree.includes('<script'))
    }),
    { numRuns: count({ full: 100_000, usual: 1_000 }) },
  )
})

function cell(text: string): readonly string[] {
  return shown(text).trim() === '' ? [] : [`=${shown(text)}`]
}

const sample: Receipt = {
  title: 'Sale',
  outcome: 'APPROVED',
  merchant: {
    name: 'Zoë\u2019s Books & Söhne',
    location: 'Main Street',
    address: '1 Main Street, Springfield, IL 62701',
  },
  rows: [
    { label: 'Cardholder', value: 'Renée O\u2019Brien' },
    { label: 'Account', value: 'x1111' },
    { label: 'Expiry', value: 'xxxx' },
    { label: 'Transaction ID', value: '57' },
    { label: 'Reference', value: 'order-1001' },
    { label: 'Date', value: 'Jan 15, 2027, 5:00 AM' },
    { label: 'Card type', value: 'Visa ending 1111' },
    { label: 'Entry method', value: 'Manual' },
    {
      label: 'For',
      value: '二冊の本 and a very long description of what was bought, which has to wrap somewhere',
    },
    { label: 'Approval', value: '482915' },
    { label: 'Amount', value: '$25.50' },
    { label: 'Fee', value: '$0.77' },
    { label: 'Total', value: '$26.27 USD' },
  ],
  total: '$26.27',
  isSandbox: true,
}

test('each copy says whose it is, and both are there when both are asked for', () => {
  const one = receiptPage(sample, ['merchant'])
  assert.match(one, /<footer>MERCHANT COPY<\/footer>/)
  assert.doesNotMatch(one, /CUSTOMER COPY/)
  assert.match(receiptPage(sample, ['merchant', 'customer']), /MERCHANT COPY[^]*CUSTOMER COPY/)
})

test('the sandbox says that no money moves, and a live receipt does not', () => {
  assert.match(receiptPage(sample, ['customer']), /Test, no money moves/)
  assert.doesNotMatch(receiptPage({ ...sample, isSandbox: false }, ['customer']), /no money moves/)
})

describe('a receipt in a browser', () => {
  const browser = useBrowser()
  for (const [where, screen] of screens) {
    test(`on ${where} shows every word, and nobody has to scroll sideways`, async () => {
      await using context = await browser().open(screen)
      const page = await context.newPage()
      await page.setContent(receiptPage(sample, ['merchant', 'customer']))
      const told = await page.locator('article').first().innerText()
      for (const { label, value } of sample.rows) {
        assert(told.includes(label) && told.includes(value), `${label}: ${value}`)
      }
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), screen.width)
    })
  }

  test('is read by a browser as by our own judge, hostile fields included', async () => {
    await using context = await browser().open({ width: 390, height: 844 })
    const page = await context.newPage()
    const receipts = fc.sample(anyReceipt, count({ full: 5_000, usual: 200 }))
    const pages = receipts.map((receipt) => receiptPage(receipt, ['customer']))
    const script = `(pages) => pages.map((text) => {
      const parsed = new DOMParser().parseFromString(text, 'text/html')
      const rows = [...parsed.querySelectorAll('dl > div')]
      const cells = rows.flatMap((row) => [...row.children].map((cell) => cell.textContent))
      return [parsed.querySelectorAll('*').length, ...cells]
    })`
    const read: readonly (readonly unknown[])[] = await page.evaluate(`(${script})(${JSON.stringify(pages)})`)
    receipts.forEach((receipt, at) => {
      const [elements, ...cells] = read[at] ?? []
      assert.deepEqual(
        cells,
        receipt.rows.flatMap(({ label, value }) => [shown(label), shown(value)]),
      )
      assert.equal(elements, treeOf(pages[at] ?? '').filter((node) => node.startsWith('<')).length)
    })
  })
})
