import type { FormMessages, ToldPlan } from '#capabilities/forms/form-needs.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { brandNames, type CardBrand } from '#kernel/card-brand.ts'
import { printMoment } from '#kernel/calendar.ts'

// MasterCard is a spelling of these messages alone, which their receivers may compare with.
export const postedNames: Readonly<Record<CardBrand, string>> = { ...brandNames, MC: 'MasterCard' }

// What PostURL receives of a plan for as long as it runs: flat, in the family's names. SUBSCRIP_CREATE says
// what was agreed, SUBSCRIP_PAYMENT what was paid.
function membersOf({ post, order, isSandbox }: ToldPlan) {
  const { plan, payment, attempt, at } = post
  const ids = {
    Event: payment ? 'SUBSCRIP_PAYMENT' : 'SUBSCRIP_CREATE',
    ConsentID: Number(plan.consentId),
    TransactionID: Number(attempt.attemptId),
    ...(payment ? { SchedID: Number(payment.instalmentId), PaymentNo: payment.paymentNumber } : {}),
  }
  if (plan.posting.idsOnly) return ids
  const { details, approved } = attempt
  const { terms } = plan
  const agreed = {
    StartDate: terms.startsOn.toString(),
    NumPayments: terms.payments ?? -1,
    TotalAmount: moneyToWire(terms.total),
    Period: terms.period,
  }
  const paid = {
    Amount: moneyToWire(approved.base),
    Surcharge: moneyToWire(approved.fee),
    TotalAmt: moneyToWire(approved.total),
    ApprovalCode: attempt.approvalCode,
  }
  return {
    ...ids,
    CardNumber: details.lastFour,
    CardType: postedNames[details.brand],
    ExpireDate: details.expiry,
    ...(payment ? paid : agreed),
    CardholderFirstName: details.holderFirstName,
    CardholderLastName: details.holderLastName,
    CustomerFirstName: details.customerFirstName,
    CustomerLastName: details.customerLastName,
    ServiceDescrip: details.service,
    REFID: details.clientRef,
    RPGUID: details.guid,
    MerchID: plan.merchantNumber,
    Currency: terms.total.currency,
    OccurredAt: printMoment(at),
    Sandbox: isSandbox,
    ...(order ? { TransID: order.transactionId } : {}),
  }
}

export const planMessage: FormMessages['plan'] = (message) => JSON.stringify(membersOf(message))
