export type ReceiptLanguage = 'en' | 'es' | 'fr'

// What a receipt says in English, and how payers elsewhere say it. Names, numbers and dates stay as they are.
const phrases: readonly (readonly [english: string, spanish: string, french: string])[] = [
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
  ['Entry method', 'Forma de pago', 'Mode de saisie'],
  ['For', 'Concepto', 'Objet'],
  ['Approval', 'Aprobación', 'Autorisation'],
  ['Code', 'Código', 'Code'],
  ['Amount', 'Importe', 'Montant'],
  ['Fee', 'Recargo', 'Frais'],
  ['Total', 'Total', 'Total'],
  ['Online', 'En línea', 'En ligne'],
  ['Bank transfer (ACH)', 'Transferencia (ACH)', 'Virement (ACH)'],
  ['MERCHANT COPY', 'COPIA DEL COMERCIO', 'EXEMPLAIRE DU COMMERÇANT'],
  ['CUSTOMER COPY', 'COPIA DEL CLIENTE', 'EXEMPLAIRE DU CLIENT'],
  ['Test, no money moves', 'Prueba, no se mueve dinero', 'Test, aucun argent ne bouge'],
]

const columns: Readonly<Record<ReceiptLanguage, 0 | 1 | 2>> = { en: 0, es: 1, fr: 2 }
const rowOf = new Map(phrases.map((row) => [row[0], row]))

export type Say = (english: string) => string

// What there is no other word for stays as it is.
export function sayIn(language: ReceiptLanguage): Say {
  return (english) => rowOf.get(english)?.[columns[language]] ?? english
}
