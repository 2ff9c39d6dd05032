import type { Language } from '#capabilities/payer-words/language.ts'
import { meansWords, momentWords, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import type { KeptMoney, Receipt, ReceiptRow } from '#capabilities/receipts/receipt.ts'

type Phrase = readonly [english: string, spanish: string, french: string]

// What a receipt says in English, and how payers elsewhere say it. Names and numbers stay as they are.
const phrases: readonly Phrase[] = [
  ['Sale', 'Venta', 'Vente'],
  ['Void', 'Anulación', 'Annulation'],
  ['Refund', 'Reembolso', 'Remboursement'],
  ['Bank debit', 'Cargo en cuenta', 'Prélèvement bancaire'],
  ['Void of a bank debit', 'Anulación de un cargo en cuenta', 'Annulation d’un prélèvement'],
  ['Refund to a bank account', 'Reembolso a una cuenta', 'Remboursement sur un compte'],
  [
    'Void of a refund to a bank account',
    'Anulación de un reembolso a una cuenta',
    'Annulation d’un remboursement sur un compte',
  ],
  ['APPROVED', 'APROBADA', 'APPROUVÉE'],
  ['APPROVED IN PART', 'APROBADA EN PARTE', 'APPROUVÉE EN PARTIE'],
  ['DECLINED', 'RECHAZADA', 'REFUSÉE'],
  ['Cardholder', 'Titular de la tarjeta', 'Titulaire de la carte'],
  ['Account holder', 'Titular de la cuenta', 'Titulaire du compte'],
  ['Account', 'Cuenta', 'Compte'],
  ['Expiry', 'Vencimiento', 'Expiration'],
  ['Transaction ID', 'Transacción', 'Transaction'],
  ['Voids', 'Anula', 'Annule'],
  ['Refunds', 'Reembolsa', 'Rembourse'],
  ['Reference', 'Referencia', 'Référence'],
  ['Date', 'Fecha', 'Date'],
  ['Card type', 'Tarjeta', 'Carte'],
  ['Paid with', 'Pagado con', 'Payé avec'],
  ['Refunded to', 'Reembolsado a', 'Remboursé sur'],
  ['Entry method', 'Forma de pago', 'Mode de saisie'],
  ['For', 'Concepto', 'Objet'],
  ['Approval', 'Aprobación', 'Autorisation'],
  ['Code', 'Código', 'Code'],
  ['Amount', 'Importe', 'Montant'],
  ['Fee', 'Recargo', 'Frais'],
  ['Total', 'Total', 'Total'],
  ['Manual', 'Manual', 'Manuelle'],
  ['Online', 'En línea', 'En ligne'],
  ['Scheduled', 'Programada', 'Programmée'],
  ['Card on file', 'Tarjeta guardada', 'Carte enregistrée'],
  ['Bank transfer (ACH)', 'Transferencia (ACH)', 'Virement (ACH)'],
  ['MERCHANT COPY', 'COPIA DEL COMERCIO', 'EXEMPLAIRE DU COMMERÇANT'],
  ['CUSTOMER COPY', 'COPIA DEL CLIENTE', 'EXEMPLAIRE DU CLIENT'],
  ['Test, no money moves', 'Prueba, no se mueve dinero', 'Mode test\u00a0: aucun débit'],
]

// A debit and a refund are masculine where a sale and a void are feminine.
const masculine: ReadonlySet<string> = new Set(['Refund', 'Bank debit', 'Refund to a bank account'])
const masculinePhrases: readonly Phrase[] = [
  ['APPROVED', 'APROBADO', 'APPROUVÉ'],
  ['APPROVED IN PART', 'APROBADO EN PARTE', 'APPROUVÉ EN PARTIE'],
  ['DECLINED', 'RECHAZADO', 'REFUSÉ'],
]

const columns: Readonly<Record<Language, 0 | 1 | 2>> = { en: 0, es: 1, fr: 2 }
const byEnglish = (all: readonly Phrase[]) => new Map(all.map((phrase) => [phrase[0], phrase]))
const [usual, ofMasculine] = [byEnglish(phrases), byEnglish([...phrases, ...masculinePhrases])]

export type Say = (english: string) => string

// What there is no other word for stays as it is.
export function sayIn(language: Language): Say {
  return (english) => usual.get(english)?.[columns[language]] ?? english
}

// A receipt in the words of its reader. In the usual ones every value stays as it was kept.
export function receiptIn(tongue: Tongue, receipt: Receipt): Receipt {
  const { language, locale } = tongue
  const isUsual = locale === 'en' || locale === 'en-US'
  const say = sayIn(language)
  const outcomes = masculine.has(receipt.title) ? ofMasculine : usual
  const shown = (row: ReceiptRow) => {
    if (row.label === 'Entry method') return say(row.value)
    return isUsual ? row.value : valueIn(tongue, row)
  }
  return {
    ...receipt,
    title: say(receipt.title),
    total: receipt.sum && !isUsual ? sumIn(tongue, receipt.sum) : receipt.total,
    outcome: outcomes.get(receipt.outcome)?.[columns[language]] ?? receipt.outcome,
    rows: receipt.rows.map((row) => ({ label: say(row.label), value: shown(row) })),
  }
}

function valueIn(tongue: Tongue, { value, local, money, means }: ReceiptRow): string {
  if (local !== undefined) return momentWords(Temporal.PlainDateTime.from(local), tongue)
  if (money) return sumIn(tongue, money)
  return means ? meansWords(means, tongue) : value
}

function sumIn(tongue: Tongue, { minor, currency }: KeptMoney): string {
  return moneyWords({ minor: BigInt(minor), currency }, tongue)
}
