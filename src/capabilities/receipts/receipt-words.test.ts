import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Language } from '#capabilities/payer-words/language.ts'
import { receiptIn } from '#capabilities/receipts/receipt-words.ts'
import type { ReceiptRow } from '#capabilities/receipts/receipt.ts'
import { receiptPage } from '#capabilities/receipts/receipt.page.ts'

const receipt = {
  title: 'Sale',
  outcome: 'APPROVED',
  merchant: { name: 'Corner Books', location: '', address: '' },
  rows: [
    { label: 'Cardholder', value: 'Total Fee' },
    { label: 'Date', value: 'Jan 15, 2027 5:04 PM', local: '2027-01-15T17:04' },
    { label: 'Entry method', value: 'Online' },
    { label: 'Total', value: '125.00 USD' },
  ],
  total: '125.00 USD',
  isSandbox: true,
}

test('a receipt speaks the language of its reader, and leaves names alone', () => {
  const page = receiptPage(receipt, ['customer'], 'fr')
  assert.match(page, /<html lang="fr">/)
  for (const words of ['VENTE APPROUV&#xC9;E', 'Titulaire de la carte', 'En ligne', 'EXEMPLAIRE DU CLIENT'])
    assert(page.toLowerCase().includes(words.toLowerCase()), `${words} in ${page}`)
  assert.match(page, /<dd>Total Fee<\/dd>/)
  assert.match(receiptPage(receipt, ['customer'], 'es'), /VENTA APROBADA[^]*COPIA DEL CLIENTE/)
  assert.match(receiptPage(receipt, ['customer']), /<html lang="en">[^]*SALE APPROVED[^]*CUSTOMER COPY/)
})

function dateIn(language: Language, rows: readonly ReceiptRow[] = receipt.rows): string | undefined {
  return receiptIn(language, { ...receipt, rows }).rows.find(({ label }) => /^(?:Date|Fecha)$/.test(label))
    ?.value
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
  assert.match(receiptPage(debit, ['customer'], 'es'), /CARGO EN CUENTA APROBADO</)
  assert.match(receiptPage({ ...debit, outcome: 'DECLINED' }, ['customer'], 'fr'), /BANCAIRE REFUS&#xC9;</)
})
