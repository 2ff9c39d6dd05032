import { mailOf } from '#capabilities/messages/mail.page.ts'
import { queueMessage, type QueueRefusal } from '#capabilities/messages/queue-message.operation.ts'
import type { MessageId } from '#capabilities/messages/message.ts'
import { readEmail } from '#capabilities/messages/recipient.ts'
import { type KeptCard, keptWords } from '#capabilities/payer-words/kept-card.ts'
import type { Language } from '#capabilities/payer-words/language.ts'
import { fill, type Tongue, tongueFor } from '#capabilities/payer-words/tongue.ts'
import { findReceiptFor, type ReceiptType } from '#capabilities/receipts/generate-receipt.operation.ts'
import { receiptIn } from '#capabilities/receipts/receipt-words.ts'
import type { Receipt, ReceiptRow } from '#capabilities/receipts/receipt.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Attempt, AttemptKind } from '#engine/payments/attempt.ts'
import { refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { mayPass } from '#platform/postgres/failures.ts'
import { inSavepoint } from '#platform/postgres/savepoint.ts'

type Needs = Pick<EngineContext, 'accountClock' | 'merchantReads' | 'keyRing'>

export type ReceiptWish = {
  readonly attempt: Pick<Attempt, 'accountId' | 'merchantNumber' | 'attemptId' | 'kind'>
  // As the payer gave it.
  readonly email: string
  // Of the page that the payer read, such as es-US; empty where there was none.
  readonly locale: string
  // What the payer let the merchant keep with this payment; null for no card.
  readonly kept: KeptCard | null
  // Who asked for the receipt: the payer on a form, or the merchant record for every payment.
  readonly because: 'payer' | 'record'
}

const types: Partial<Record<AttemptKind, ReceiptType>> = { sale: 1, void: 2, credit: 3, bank_debit: 7 }

export type ReceiptRefusal = QueueRefusal | 'invalid_email' | 'receipt_not_found'

// Mails a payer the receipt of a payment, or of what undoes one. Part of the caller's transaction.
export async function queueReceipt(
  needs: Needs,
  tx: Tx,
  { attempt, email, locale, kept, because }: ReceiptWish,
): Promise<Result<{ readonly messageId: MessageId }, ReceiptRefusal>> {
  const { accountId, merchantNumber, attemptId: subject, kind } = attempt
  const recipient = readEmail(email)
  if (!recipient.ok) return recipient
  const type = types[kind]
  if (type === undefined) return refuse('receipt_not_found')
  const found = await findReceiptFor({ ...needs, db: tx }, { accountId, merchantNumber }, { type, subject })
  if (!found.ok) return refuse('receipt_not_found')
  return queueMessage(tx, {
    accountId,
    merchantNumber,
    channel: 'email',
    recipient: recipient.value,
    purpose: 'receipt',
    linkId: null,
    at: needs.accountClock.now(accountId),
    ...receiptMail(found.value, { tongue: tongueFor(locale, ''), kept, because }),
  })
}

// Mails a receipt that the caller's transaction marks as done. What fails for good is logged and holds up
// nothing else of that transaction. What may succeed later fails the transaction, so that the receipt stays
// due. by: names the receipt in the log; wishFor: null where no receipt is mailed.
export async function tryToMailReceipt(
  needs: Needs & Pick<EngineContext, 'log'>,
  tx: Tx,
  { by, wishFor }: { readonly by: object; readonly wishFor: () => Promise<ReceiptWish | null> },
): Promise<void> {
  try {
    const queued = await inSavepoint(tx, async () => {
      const wish = await wishFor()
      return wish && queueReceipt(needs, tx, wish)
    })
    if (queued && !queued.ok)
      needs.log.info({ ...by, because: queued.refusal.kind }, 'A receipt is not mailed')
  } catch (error) {
    if (mayPass(error)) throw error
    needs.log.error({ ...by, err: error }, 'A receipt is not mailed by a fault of ours')
  }
}

type Words = { readonly subject: string } & Readonly<Record<ReceiptWish['because'], string>>

const words: Readonly<Record<Language, Words>> = {
  en: {
    subject: 'Your receipt from {merchant}',
    record: 'You get this because {merchant} mails a receipt for every payment.',
    payer: 'You get this because you asked for a receipt when you paid.',
  },
  es: {
    subject: 'Su recibo de {merchant}',
    record: 'Recibe este mensaje porque {merchant} envía un recibo por cada pago.',
    payer: 'Recibe este mensaje porque pidió un recibo al pagar.',
  },
  fr: {
    subject: 'Votre reçu de {merchant}',
    record: 'Vous recevez ce message parce que {merchant} envoie un reçu pour chaque paiement.',
    payer: 'Vous recevez ce message parce que vous avez demandé un reçu en payant.',
  },
}

type Style = Pick<ReceiptWish, 'kept' | 'because'> & { readonly tongue: Tongue }

function receiptMail(receipt: Receipt, { tongue, kept, because }: Style) {
  const { language } = tongue
  const shown = { ...receipt, rows: receipt.rows.filter(isForPayers) }
  const { merchant, title, outcome, total, rows, isSandbox } = receiptIn(tongue, shown)
  const names = { merchant: merchant.name }
  const mail = mailOf({
    language,
    merchantName: merchant.name,
    title: `${title} ${outcome.toLowerCase()}`,
    amount: total,
    paragraphs: kept ? [keptWords(kept, merchant.name, tongue)] : [],
    facts: rows,
    button: null,
    footer: [
      [merchant.name, merchant.location, merchant.address].filter((line) => line !== '').join(', '),
      fill(words[language][because], names),
    ],
    isSandbox,
  })
  return { subject: fill(words[language].subject, names), ...mail }
}

// "Visa ending 4242" says it to payers.
function isForPayers({ label }: ReceiptRow): boolean {
  return label !== 'Account' && label !== 'Expiry'
}
