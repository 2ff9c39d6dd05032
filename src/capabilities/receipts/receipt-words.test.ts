import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiptPage } from '#capabilities/receipts/receipt.page.ts'

const receipt = {
  title: 'Sale',
  outcome: 'APPROVED',
  merchant: { name: 'Corner Books', location: '', address: '' },
  rows: [
    { label: 'Cardholder', value: 'Total Fee' },
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
