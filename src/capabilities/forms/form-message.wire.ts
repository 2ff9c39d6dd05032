import type { FormMessages, PaidForm } from '#capabilities/forms/form-needs.ts'
import { planMessage, postedNames } from '#capabilities/forms/plan-message.wire.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { printMoment } from '#kernel/calendar.ts'
import { printMoney } from '#kernel/money.ts'

// Amex is one of what is encrypted.
const listedNames: Readonly<Record<CardBrand, string>> = { ...postedNames, AE: 'Amex' }

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

// Names and values in the family's order, then ours.
function listOf({ form, attempt, order }: PaidForm): Readonly<Record<string, unknown>> {
  const ids = { TXID: attempt.attemptId, CONSENTID: form.consentId ?? 0n }
  if (formOptions(form).idsOnly) return ids
  const { details, approved } = attempt
  return {
    ...ids,
    CARDNO: details.lastFour,
    CARDTYPE: attempt.kind === 'bank_debit' ? 'ACH' : listedNames[details.brand],
    FIRSTNAME: details.holderFirstName,
    LASTNAME: details.holderLastName,
    REFID: details.clientRef,
    EXPDATE: details.expiry,
    FEE: printMoney(approved.fee),
    AMOUNT: printMoney(approved.base),
    RPGUID: details.guid,
    EMAIL: form.said.email || form.payer.email,
    APPROVAL: attempt.approvalCode,
    ...(order ? { TRANSID: order.transactionId } : {}),
    ...(order && order.consentToken !== '' ? { RECURRINGTOKEN: order.consentToken } : {}),
  }
}

const queryOf = ({ form, attempt }: PaidForm) => ({
  txid: String(attempt.attemptId),
  cid: String(form.consentId ?? 0n),
})

export const formMessages: FormMessages = {
  json: (paid) => JSON.stringify(membersOf(paid)),
  // Bars divide names and values, so a bar of a payer must not begin another member.
  line: (paid) =>
    Object.entries(listOf(paid))
      .flatMap(([name, value]) => [name, String(value).replaceAll('|', '/')])
      .join('|'),
  query: queryOf,
  parent: (paid) => {
    const { cid, ...rest } = queryOf(paid)
    const isPaid = formOptions(paid.form).pays
    return isPaid ? `?${new URLSearchParams({ ...rest, cid }).toString()}` : `CID=${cid}`
  },
  plan: planMessage,
}
