import type { FormMessages, PaidForm } from '#capabilities/forms/form-needs.ts'
import { planMessage } from '#capabilities/forms/plan-message.wire.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { brandNames, type CardBrand } from '#kernel/card-brand.ts'
import { printMoment } from '#kernel/calendar.ts'

// MasterCard is a spelling of this message alone, which its receivers may compare with.
const postedNames: Readonly<Record<CardBrand, string>> = { ...brandNames, MC: 'MasterCard' }

// What PostURL is told: flat, in the family's names. CardType is ACH for a bank account; TransID and
// RecurringToken are of an order of an international record.
function membersOf({ form, attempt, order, isSandbox }: PaidForm) {
  const ids = { ConsentID: Number(form.consentId ?? 0n), TransactionID: Number(attempt.attemptId) }
  if (formOptions(form).idsOnly) return ids
  const { details, approved } = attempt
  return {
    ...ids,
    CardNumber: details.lastFour,
    CardType: attempt.kind === 'bank_debit' ? 'ACH' : postedNames[details.brand],
    ExpireDate: details.expiry,
    Amount: moneyToWire(approved.base),
    Surcharge: moneyToWire(approved.fee),
    CardholderFirstName: details.holderFirstName,
    CardholderLastName: details.holderLastName,
    CustomerFirstName: details.customerFirstName,
    CustomerLastName: details.customerLastName,
    Email: form.said.email || form.payer.email,
    REFID: details.clientRef,
    RPGUID: details.guid,
    ApprovalCode: attempt.approvalCode,
    MerchID: form.merchantNumber,
    Currency: form.currency,
    TotalAmt: moneyToWire(approved.total),
    OccurredAt: printMoment(form.paidAt ?? attempt.createdAt),
    Sandbox: isSandbox,
    ...(order ? { TransID: order.transactionId } : {}),
    ...(order && order.consentToken !== '' ? { RecurringToken: order.consentToken } : {}),
  }
}

export const formMessages: FormMessages = {
  json: (paid) => JSON.stringify(membersOf(paid)),
  line: (paid) => {
    const { ConsentID, TransactionID, ...rest } = membersOf(paid)
    return Object.entries({ TXID: TransactionID, CONSENTID: ConsentID, ...rest })
      .flatMap(([name, value]) => [name.toUpperCase(), String(value).replaceAll('|', '/')])
      .join('|')
  },
  plan: planMessage,
  query: ({ form, attempt }) => ({ txid: String(attempt.attemptId), cid: String(form.consentId ?? 0n) }),
}
