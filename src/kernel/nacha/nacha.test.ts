import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type NachaBatch,
  type NachaEntry,
  type NachaFile,
  transactionCode,
} from '#kernel/nacha/nacha-file.ts'
import { readNacha } from '#kernel/nacha/read-nacha.ts'
import { isRoutingNumber } from '#kernel/nacha/routing-number.ts'
import { nachaText, writeNacha } from '#kernel/nacha/write-nacha.ts'
import { count } from '../../../test/support/counts.ts'
import { faultsOfNacha } from '../../../test/support/nacha-check.ts'

const header: NachaFile['header'] = {
  destination: '110000000',
  destinationName: 'SANDBOX BANK',
  origin: '1234567890',
  originName: 'CORNER BOOKS',
  createdOn: Temporal.PlainDate.from('2027-01-15'),
  createdAt: Temporal.PlainTime.from('23:30'),
  modifier: 'A',
  reference: '57',
}

function entry(at: number, changes: Partial<NachaEntry> = {}): NachaEntry {
  return {
    transactionCode: '27',
    routingNumber: '110000000',
    accountNumber: '000123456789',
    amountMinor: 2550n,
    individualId: String(at),
    name: 'ADA MILLER',
    trace: `11000000${String(at).padStart(7, '0')}`,
    addenda: null,
    ...changes,
  }
}

function batch(entries: readonly NachaEntry[], changes: Partial<NachaBatch> = {}): NachaBatch {
  return {
    companyName: 'CORNER BOOKS',
    companyId: '1234567890',
    entryClass: 'PPD',
    description: 'SALE',
    effectiveOn: Temporal.PlainDate.from('2027-01-19'),
    originatingBank: '11000000',
    number: 1,
    entries,
    ...changes,
  }
}

function returnsFile(): string {
  const returned = { kind: 'return', code: 'R01', originalTrace: '110000000000001' } as const
  const changed = {
    kind: 'change',
    code: 'C01',
    originalTrace: '110000000000002',
    corrected: '1918171614',
  } as const
  const batches = [
    batch([entry(1, { transactionCode: '26', addenda: returned })]),
    batch([entry(2, { transactionCode: '26', amountMinor: 0n, addenda: changed })], {
      entryClass: 'COR',
      number: 2,
    }),
  ]
  return writeNacha({ header, batches })
}

for (const [text, isRight] of [
  ['110000000', true],
  ['021000021', true],
  ['011401533', true],
  ['021000022', false],
  ['12100002', false],
  ['1210000210', false],
  ['000000000', false],
  ['02100002a', false],
] as const) {
  test(`${text} is ${isRight ? 'a' : 'no'} routing number`, () =>
    assert.equal(isRoutingNumber(text), isRight))
}

for (const [account, direction, code] of [
  ['checking', 'debit', '27'],
  ['checking', 'credit', '22'],
  ['savings', 'debit', '37'],
  ['savings', 'credit', '32'],
] as const) {
  test(`a ${direction} of a ${account} account is written as ${code}`, () =>
    assert.equal(transactionCode(account, direction), code))
}

test('a file is what the rules of the network say, to the character', () => {
  const text = writeNacha({ header, batches: [batch([entry(1)])] })
  assert.deepEqual(text.split('\n').slice(0, 5), [
    '101 11000000012345678902701152330A094101SANDBOX BANK           CORNER BOOKS           57      ',
    '5225CORNER BOOKS                        1234567890PPDSALE            270119   1110000000000001',
    '627110000000000123456789     00000025501              ADA MILLER              0110000000000001',
    '822500000100110000000000000025500000000000001234567890                         110000000000001',
    '9000001000001000000010011000000000000002550000000000000' + ' '.repeat(39),
  ])
  assert.deepEqual(text.split('\n').slice(5), [...Array.from({ length: 5 }, () => '9'.repeat(94)), ''])
})

test('of a hash of more than ten digits the last ten are written and compared', () => {
  // 150 times 99,999,999 and 150 times 11,000,000 are 16,649,999,850.
  const many = Array.from({ length: 300 }, (_, at) =>
    entry(at + 1, { routingNumber: at % 2 === 0 ? '999999992' : '110000000' }),
  )
  const one = batch([entry(301, { routingNumber: '999999992' })], { number: 2 })
  const text = writeNacha({ header, batches: [batch(many), one] })
  const lines = text.split('\n')
  const controls = lines.filter((line) => line.startsWith('8')).map((line) => line.slice(10, 20))
  assert.deepEqual(controls, ['6649999850', '0099999999'])
  const file = lines.find((line) => line.startsWith('9000'))
  assert.equal(file?.slice(21, 31), '6749999849')
  assert.deepEqual(faultsOfNacha(text), [])
  assert.ok(readNacha(text).ok)
})

test('names lose accents and what the network cannot carry, and are cut to their place', () => {
  assert.equal(nachaText('Zoë Ångström', 22), 'ZOE ANGSTROM')
  assert.equal(nachaText('李 & Söhne\n', 22), '? & SOHNE?')
  assert.equal(nachaText('abcdef ghi', 7), 'ABCDEF')
  assert.equal(nachaText('Zo\u0308\u0301e', 22), 'ZOE')
  assert.equal(nachaText(' \u0301\u0308', 22), '?', 'an accent alone leaves no blank')
})

for (const [what, wrong] of [
  ['a bank that does not exist', { routingNumber: '110000001' }],
  ['an amount of eleven digits', { amountMinor: 10_000_000_000n }],
  ['no account', { accountNumber: '' }],
  ['an account of 18 digits', { accountNumber: '1'.repeat(18) }],
  ['a name beyond ASCII', { name: 'ZOË' }],
  ['a name that is too long', { name: 'A'.repeat(23) }],
] as const) {
  test(`an entry with ${what} is never written`, () => {
    assert.throws(() => writeNacha({ header, batches: [batch([entry(1, wrong)])] }), /Broken promise/)
  })
}

test('a file without batches, a batch without entries and traces that do not rise are never written', () => {
  for (const batches of [[], [batch([])], [batch([entry(2), entry(1)])]]) {
    assert.throws(() => writeNacha({ header, batches }), /Broken promise/)
  }
})

const anyEntry = fc.record({
  account: fc.constantFrom('checking' as const, 'savings' as const),
  direction: fc.constantFrom('debit' as const, 'credit' as const),
  routingNumber: fc.constantFrom('110000000', '021000021', '011401533'),
  accountNumber: fc.stringMatching(/^[0-9]{4,17}$/),
  amountMinor: fc.bigInt(1n, 9_999_999_999n),
  name: fc.string({ unit: 'grapheme', maxLength: 60 }),
})

test('whatever is written passes a check that knows nothing of the writer, and reads back the same', () => {
  const anyBatches = fc.array(fc.array(anyEntry, { minLength: 1, maxLength: 25 }), {
    minLength: 1,
    maxLength: 4,
  })
  fc.assert(
    fc.property(anyBatches, (drawn) => {
      const batches = drawn.map((rows, at) =>
        batch(
          rows.map(({ account, direction, name, ...row }, place) => {
            const code = transactionCode(account, direction)
            const plain = nachaText(name, 22)
            return entry(at * 100 + place + 1, { ...row, transactionCode: code, name: plain })
          }),
          { number: at + 1 },
        ),
      )
      const text = writeNacha({ header, batches })
      assert.deepEqual(faultsOfNacha(text), [])
      const read = readNacha(text)
      assert(read.ok)
      assert.deepEqual(read.value, batches)
    }),
    { numRuns: count({ full: 5_000, usual: 200 }) },
  )
})

test('returns and notices of change are read with what they are about', () => {
  const read = readNacha(returnsFile())
  assert(read.ok)
  const addenda = read.value.flatMap(({ entries }) => entries.map((one) => one.addenda))
  assert.deepEqual(addenda, [
    { kind: 'return', code: 'R01', originalTrace: '110000000000001' },
    { kind: 'change', code: 'C01', originalTrace: '110000000000002', corrected: '1918171614' },
  ])
})

test('other line ends, cut blanks, missing padding and an empty line do not matter', () => {
  const text = returnsFile()
  const bare = text.replace(/^9{94}\n/gm, '')
  const variants = [text.replaceAll('\n', '\r\n'), text.replace(/ +$/gm, ''), bare, `${text}\n\n`]
  for (const variant of variants) assert.deepEqual(readNacha(variant), readNacha(text))
})

// In returnsFile: 1 file header, 2 to 5 the first batch, 6 to 9 the second, 10 file control.
type Damage = readonly [what: string, line: number, change: (line: string) => string, problem: RegExp]
const damages: readonly Damage[] = [
  ['no file header', 1, () => '', /is no file header/],
  ['a letter in an amount', 3, (line) => line.replace('0000002550', '00000O2550'), /digits as amount/],
  ['another amount', 3, (line) => line.replace('0000002550', '0000002551'), /./],
  ['a trace that is cut off', 3, (line) => line.slice(0, 90), /no trace number/],
  ['a missing addenda', 4, () => '', /an addenda was announced/],
  ['an addenda of another kind', 4, (line) => line.replace('799', '705'), /type 05/],
  ['an unknown reason', 4, (line) => line.replace('R01', 'X01'), /X01/],
  [
    'an addenda about nothing',
    4,
    (line) => line.replace('110000000000001', ' '.repeat(15)),
    /what it is about/,
  ],
  ['an addenda of another entry', 4, (line) => `${line.slice(0, 93)}9`, /another trace number/],
  ['a wrong hash of a batch', 5, (line) => line.replace('0011000000', '0011000001'), /hash/],
  ['a line that is too long', 5, (line) => `${line}0`, /95 characters/],
  ['characters that nobody sent', 6, (line) => line.replace('CORNER', 'CORN\u00c9R'), /ASCII/],
  ['a batch inside a batch', 5, () => '', /inside another/],
  ['a line of no kind', 6, (line) => `4${line.slice(1)}`, /begins with 4/],
  ['a missing batch', 10, (line) => line.replace('9000002', '9000001'), /counts 1 batches/],
  [
    'a wrong count of blocks',
    10,
    (line) => line.replace('9000002000001', '9000002000002'),
    /counts 2 blocks/,
  ],
  ['a wrong sum of the file', 10, (line) => line.replace('000000002550', '000000002551'), /debits/],
  ['a missing file control', 10, () => '', /not closed/],
]
for (const [what, line, change, problem] of damages) {
  test(`a file with ${what} is refused, and the line is named`, () => {
    const lines = returnsFile()
      .replace(/^9{94}\n/gm, '')
      .split('\n')
    const broken = lines.map((text, at) => (at === line - 1 ? change(text) : text)).join('\n')
    const read = readNacha(broken)
    assert(!read.ok)
    const told = read.refusal.details
    assert.match(String(told['problem']), problem)
    // A line that is gone, or a figure that is wrong, shows at the line after it or at the sums.
    assert(Math.abs(Number(told['line']) - line) <= 2, `line ${told['line']}`)
  })
}

test('an amount that was changed in one place is noticed, wherever it stands', () => {
  const text = returnsFile()
  const places = [...text.matchAll(/2550/g)]
  assert.equal(places.length, 3)
  for (const { index } of places) {
    assert(!readNacha(`${text.slice(0, index)}2560${text.slice(index + 4)}`).ok, `at ${index}`)
  }
})

test('text that is no file at all is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => !readNacha(text).ok),
    { numRuns: count({ full: 10_000, usual: 500 }) },
  )
})
