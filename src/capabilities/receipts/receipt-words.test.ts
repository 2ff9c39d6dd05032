import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { receiptIn } from '#capabilities/receipts/receipt-words.ts'
import type { ReceiptRow } from '#capabilities/receipts/receipt.ts'
import { receiptPage } from '#capabilities/receipts/receipt.page.ts'
import { currencyCode } from '#kernel/currency.ts'

const receipt = {
  title: 'Sale',
  outcome: 'APPROVED',
  merchant: { name: 'Corner Books', location: '', address: '' },
  rows: [
    { label: 'Cardholder', value: 'Total Fee' },
    { label: 'Date', value: 'Jan 15, 2027 5:04 PM', local: '2027-01-15T17:04' },
    { label: 'Entry method', value: 'Online' },
    { label: 'Total', value: '$1,250.00 USD' },
  ],
  total: '$1,250.00',
  isSandbox: true,
}

test('a receipt speaks the language of its reader, and leaves names alone', () => {
  const page = receiptPage(receipt, ['customer'], tongueFor('fr', ''))
  assert.match(page, /<html lang="fr">/)
  for (const words of ['VENTE APPROUV&#xC9;E', 'Titulaire de la carte', 'En ligne', 'EXEMPLAIRE DU CLIENT'])
    assert(page.toLowerCase().includes(words.toLowerCase()), `${words} in ${page}`)
  assert.match(page, /<dd>Total Fee<\/dd>/)
  assert.match(receiptPage(receipt, ['customer'], tongueFor('es', '')), /VENTA APROBADA[^]*COPIA DEL CLIENTE/)
  assert.match(receiptPage(receipt, ['customer']), /<html lang="en">[^]*SALE APPROVED[^]*CUSTOMER COPY/)
})

function dateIn(locale: string, rows: readonly ReceiptRow[] = receipt.rows): string | undefined {
  return receiptIn(tongueFor(locale, ''), { ...receipt, rows }).rows.find(({ label }) =>
    /^(?:Date|Fecha)$/.test(label),
  )?.value
}

test('the date of a receipt is written as its reader writes dates', () => {
  assert.equal(dateIn('en'), 'Jan 15, 2027 5:04 PM')
  assert.match(dateIn('es') ?? '', /^15 ene\.? 2027,? 17:04$/)
  assert.match(dateIn('fr') ?? '', /^15 janv\. 2027,? 17:04$/)
  const keptBefore = [{ label: 'Date', value: 'Jan 15, 2027 5:04 PM' }]
  assert.equal(dateIn('fr', keptBefore), 'Jan 15, 2027 5:04 PM')
})

test('what came of a debit is said as a debit is spoken of', () => {
  const debit = { ...receipt, title: 'Bank debit' }
  assert.match(receiptPage(debit, ['customer'], tongueFor('es', '')), /CARGO EN CUENTA APROBADO</)
  assert.match(
    receiptPage({ ...debit, outcome: 'DECLINED' }, ['customer'], tongueFor('fr', '')),
    /BANCAIRE REFUS&#xC9;</,
  )
})

test('amounts and cards are written as the page of the payer writes them', () => {
  const currency = currencyCode('USD') ?? assert.fail('dollars are known')
  const money = { minor: '990098', currency }
  const rows = [
    { label: 'Amount', value: '$9,900.98', money },
    { label: 'Total', value: '$9,900.98 USD', money },
    { label: 'Card type', value: 'Visa ending 4242', means: { brand: 'VI', lastFour: '4242' } },
  ] as const
  const kept = { ...receipt, rows, total: '$9,900.98', sum: money }
  const shownIn = (locale: string) => {
    const shown = receiptIn(tongueFor(locale, ''), kept)
    return [shown.total, ...shown.rows.map(({ value }) => value)]
  }
  assert.deepEqual(shownIn('en-US'), ['$9,900.98', '$9,900.98', '$9,900.98 USD', 'Visa ending 4242'])
  const british = ['US$9,900.98', 'US$9,900.98', 'US$9,900.98', 'Visa ending 4242']
  assert.deepEqual(shownIn('en-GB'), british)
  const mexican = shownIn('es-US')
  assert.deepEqual(mexican.slice(0, 2), ['$9,900.98', '$9,900.98'])
  assert.match(mexican[3] ?? '', /^Visa .*4242$/)
})
