import { mailOf } from '#capabilities/messages/mail.page.ts'
import { queueMessage, type QueueRefusal } from '#capabilities/messages/queue-message.operation.ts'
import type { MessageId } from '#capabilities/messages/message.ts'
import { readEmail } from '#capabilities/messages/recipient.ts'
import { type KeptCard, keptWords } from '#capabilities/payer-words/kept-card.ts'
import type { Language } from '#capabilities/payer-words/language.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { findReceiptFor } from '#capabilities/receipts/generate-receipt.operation.ts'
import { receiptIn } from '#capabilities/receipts/receipt-words.ts'
import type { Receipt } from '#capabilities/receipts/receipt.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'accountClock' | 'merchantReads' | 'keyRing'>

export type ReceiptWish = {
  readonly attempt: Pick<Attempt, 'accountId' | 'merchantNumber' | 'attemptId' | 'kind'>
  // As the payer gave it.
  readonly email: string
  // In which the payer read the page.
  readonly language: Language
  // What the payer let the merchant keep with this payment; null for no card.
  readonly kept: KeptCard | null
}

export type ReceiptRefusal = QueueRefusal | 'invalid_email' | 'receipt_not_found'

// Mails a payer the receipt of a sale or a bank debit. Part of the caller's transaction.
export async function queueReceipt(
  needs: Needs,
  tx: Tx,
  { attempt, email, language, kept }: ReceiptWish,
): Promise<Result<{ readonly messageId: MessageId }, ReceiptRefusal>> {
  const { accountId, merchantNumber, attemptId: subject, kind } = attempt
  const recipient = readEmail(email)
  if (!recipient.ok) return recipient
  const type = kind === 'bank_debit' ? 7 : 1
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
    ...receiptMail(found.value, language, kept),
  })
}

type Words = { readonly subject: (merchant: string) => string; readonly why: string }

const words: Readonly<Record<Language, Words>> = {
  en: {
    subject: (merchant) => `Your receipt from ${merchant}`,
    why: 'You get this because you asked for a receipt when you paid.',
  },
  es: {
    subject: (merchant) => `Su recibo de ${merchant}`,
    why: 'Recibe este mensaje porque pidió un recibo al pagar.',
  },
  fr: {
    subject: (merchant) => `Votre reçu de ${merchant}`,
    why: 'Vous recevez ce message parce que vous avez demandé un reçu en payant.',
  },
}

function receiptMail(receipt: Receipt, language: Language, kept: KeptCard | null) {
  const { merchant, title, outcome, total, rows, isSandbox } = receiptIn(language, receipt)
  const { subject, why } = words[language]
  const mail = mailOf({
    language,
    merchantName: merchant.name,
    title: `${title} ${outcome.toLowerCase()}`,
    amount: total,
    paragraphs: kept ? [keptWords(kept, merchant.name, tongueFor('', language))] : [],
    facts: rows,
    button: null,
    footer: [
      [merchant.name, merchant.location, merchant.address].filter((line) => line !== '').join(', '),
      why,
    ],
    isSandbox,
  })
  return { subject: subject(merchant.name), ...mail }
}
