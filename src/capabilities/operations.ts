import { chargeBankAccountContract } from '#capabilities/bank-debits/charge-bank-account.contract.ts'
import {
  chargeBankAccount,
  repeatBankCharge,
} from '#capabilities/bank-debits/charge-bank-account.operation.ts'
import { creditBankDebitContract } from '#capabilities/bank-debits/credit-bank-debit.contract.ts'
import { creditBankDebit, repeatBankCredit } from '#capabilities/bank-debits/credit-bank-debit.operation.ts'
import { voidBankDebitContract } from '#capabilities/bank-debits/void-bank-debit.contract.ts'
import { repeatBankVoid, voidBankDebit } from '#capabilities/bank-debits/void-bank-debit.operation.ts'
import { processDuePaymentsContract } from '#capabilities/collection/process-due-payments.contract.ts'
import { processDuePayments } from '#capabilities/collection/process-due-payments.operation.ts'
import { processSelectedPaymentsContract } from '#capabilities/collection/process-selected-payments.contract.ts'
import { processSelectedPayments } from '#capabilities/collection/process-selected-payments.operation.ts'
import { repeatRun } from '#capabilities/collection/repeat-run.operation.ts'
import { calculateFeesContract } from '#capabilities/consents/calculate-fees.contract.ts'
import { calculateFees } from '#capabilities/consents/calculate-fees.operation.ts'
import { cancelAnnualConsentContract } from '#capabilities/consents/cancel-annual-consent.contract.ts'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import { chargeStoredCardContract } from '#capabilities/consents/charge-stored-card.contract.ts'
import { chargeStoredCard, repeatStoredCharge } from '#capabilities/consents/charge-stored-card.operation.ts'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import { createAnnualConsent } from '#capabilities/consents/create-annual-consent.operation.ts'
import { findUnverifiedCreation, repeatCreation } from '#capabilities/consents/create-consent.operation.ts'
import { modifyAnnualConsentContract } from '#capabilities/consents/modify-annual-consent.contract.ts'
import { modifyAnnualConsent } from '#capabilities/consents/modify-annual-consent.operation.ts'
import type { Context } from '#capabilities/context.ts'
import { initFormContract } from '#capabilities/forms/init-form.contract.ts'
import { findMadeForm, initForm } from '#capabilities/forms/init-form.operation.ts'
import { queryFormsContract } from '#capabilities/forms/query-forms.contract.ts'
import { queryForms } from '#capabilities/forms/query-forms.operation.ts'
import { chargeConsentTokenContract } from '#capabilities/international/charge-consent-token.contract.ts'
import {
  chargeConsentToken,
  repeatTokenCharge,
} from '#capabilities/international/charge-consent-token.operation.ts'
import { undoOrderContract } from '#capabilities/international/undo-order.contract.ts'
import { repeatUndoing, undoOrder } from '#capabilities/international/undo-order.operation.ts'
import { generateReceiptContract } from '#capabilities/receipts/generate-receipt.contract.ts'
import { generateReceipt } from '#capabilities/receipts/generate-receipt.operation.ts'
import { generateOrderReceiptContract } from '#capabilities/receipts/generate-order-receipt.contract.ts'
import { generateOrderReceipt } from '#capabilities/receipts/generate-order-receipt.operation.ts'
import { cancelRecurringConsentContract } from '#capabilities/recurring/cancel-recurring-consent.contract.ts'
import { cancelRecurringConsent } from '#capabilities/recurring/cancel-recurring-consent.operation.ts'
import { cancelScheduledPaymentContract } from '#capabilities/recurring/cancel-scheduled-payment.contract.ts'
import { cancelScheduledPayment } from '#capabilities/recurring/cancel-scheduled-payment.operation.ts'
import { createRecurringConsentContract } from '#capabilities/recurring/create-recurring-consent.contract.ts'
import {
  createRecurringConsent,
  findUnverifiedPlan,
  repeatPlanCreation,
} from '#capabilities/recurring/create-recurring-consent.operation.ts'
import { modifyRecurringConsentContract } from '#capabilities/recurring/modify-recurring-consent.contract.ts'
import { modifyRecurringConsent } from '#capabilities/recurring/modify-recurring-consent.operation.ts'
import { modifyScheduledPaymentContract } from '#capabilities/recurring/modify-scheduled-payment.contract.ts'
import { modifyScheduledPayment } from '#capabilities/recurring/modify-scheduled-payment.operation.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard, repeatCharge } from '#capabilities/sales/charge-card.operation.ts'
import { creditSaleContract } from '#capabilities/sales/credit-sale.contract.ts'
import { creditSale, repeatCredit } from '#capabilities/sales/credit-sale.operation.ts'
import { lookUpOperationContract } from '#capabilities/sales/look-up-operation.contract.ts'
import { lookUpOperation } from '#capabilities/sales/look-up-operation.operation.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import { repeatVoid, voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { dueWork } from '#capabilities/due-work.ts'
import { moveClockContract } from '#capabilities/sandbox/move-clock.contract.ts'
import { moveAccountClock } from '#capabilities/sandbox/move-clock.operation.ts'
import { showClockContract } from '#capabilities/sandbox/show-clock.contract.ts'
import { showAccountClock } from '#capabilities/sandbox/show-clock.operation.ts'
import { queryAnnualConsentsContract } from '#capabilities/search/query-annual-consents.contract.ts'
import { queryAnnualConsents } from '#capabilities/search/query-annual-consents.operation.ts'
import { queryBankTransactionsContract } from '#capabilities/search/query-bank-transactions.contract.ts'
import { queryBankTransactions } from '#capabilities/search/query-bank-transactions.operation.ts'
import { queryOrdersContract } from '#capabilities/search/query-orders.contract.ts'
import { queryOrders } from '#capabilities/search/query-orders.operation.ts'
import { queryBatchesContract } from '#capabilities/search/query-batches.contract.ts'
import { makeLinkContract } from '#capabilities/links/make-link.contract.ts'
import { findMadeLink, makeLink } from '#capabilities/links/make-link.operation.ts'
import { queryLinksContract } from '#capabilities/links/query-links.contract.ts'
import { queryLinks } from '#capabilities/links/query-links.operation.ts'
import { resendLinkContract } from '#capabilities/links/resend-link.contract.ts'
import { findResentLink, resendLink } from '#capabilities/links/resend-link.operation.ts'
import { withdrawLinkContract } from '#capabilities/links/withdraw-link.contract.ts'
import { withdrawLink } from '#capabilities/links/withdraw-link.operation.ts'
import { queryBatches } from '#capabilities/search/query-batches.operation.ts'
import { queryRecurringConsentsContract } from '#capabilities/search/query-recurring-consents.contract.ts'
import { queryRecurringConsents } from '#capabilities/search/query-recurring-consents.operation.ts'
import { querySchedulesContract } from '#capabilities/search/query-schedules.contract.ts'
import { querySchedules } from '#capabilities/search/query-schedules.operation.ts'
import { queryTransactionsContract } from '#capabilities/search/query-transactions.contract.ts'
import { queryTransactions } from '#capabilities/search/query-transactions.operation.ts'
import { authenticateContract } from '#capabilities/sessions/authenticate.contract.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { endSessionContract } from '#capabilities/sessions/end-session.contract.ts'
import { endSession } from '#capabilities/sessions/end-session.operation.ts'
import { querySessionContract } from '#capabilities/sessions/query-session.contract.ts'
import { querySession } from '#capabilities/sessions/query-session.operation.ts'
import { settleAllContract } from '#capabilities/settlement/settle-all.contract.ts'
import { settleAll } from '#capabilities/settlement/settle-all.operation.ts'
import { settleSelectedContract } from '#capabilities/settlement/settle-selected.contract.ts'
import { settleSelected } from '#capabilities/settlement/settle-selected.operation.ts'
import { addWebhookContract } from '#capabilities/webhooks/add-webhook.contract.ts'
import { addWebhook } from '#capabilities/webhooks/add-webhook.operation.ts'
import { disableWebhookContract } from '#capabilities/webhooks/disable-webhook.contract.ts'
import { disableWebhook } from '#capabilities/webhooks/disable-webhook.operation.ts'
import { listWebhooksContract } from '#capabilities/webhooks/list-webhooks.contract.ts'
import { listWebhooks } from '#capabilities/webhooks/list-webhooks.operation.ts'
import { queryEventsContract } from '#capabilities/webhooks/query-events.contract.ts'
import { queryEvents } from '#capabilities/webhooks/query-events.operation.ts'
import { type Operation, serve } from '#capabilities/wire/contract.ts'

// The one list of public operations. REST, SOAP with its WSDL, OpenAPI, the docs and the contract tests are
// loops over it.
export const operations: readonly Operation<Context>[] = [
  serve(authenticateContract, authenticate),
  serve(querySessionContract, querySession),
  serve(endSessionContract, endSession),
  serve(createAnnualConsentContract, createAnnualConsent, repeatCreation, findUnverifiedCreation),
  serve(calculateFeesContract, calculateFees),
  serve(chargeStoredCardContract, chargeStoredCard, repeatStoredCharge),
  serve(modifyAnnualConsentContract, modifyAnnualConsent),
  serve(cancelAnnualConsentContract, cancelAnnualConsent),
  serve(createRecurringConsentContract, createRecurringConsent, repeatPlanCreation, findUnverifiedPlan),
  serve(modifyRecurringConsentContract, modifyRecurringConsent),
  serve(cancelRecurringConsentContract, cancelRecurringConsent),
  serve(cancelScheduledPaymentContract, cancelScheduledPayment),
  serve(modifyScheduledPaymentContract, modifyScheduledPayment),
  serve(processDuePaymentsContract, processDuePayments, undefined, repeatRun),
  serve(processSelectedPaymentsContract, processSelectedPayments, undefined, repeatRun),
  serve(chargeCardContract, chargeCard, repeatCharge),
  serve(voidSaleContract, voidSale, repeatVoid),
  serve(creditSaleContract, creditSale, repeatCredit),
  serve(settleSelectedContract, settleSelected),
  serve(settleAllContract, settleAll),
  serve(lookUpOperationContract, lookUpOperation),
  serve(queryTransactionsContract, queryTransactions),
  serve(queryAnnualConsentsContract, queryAnnualConsents),
  serve(queryRecurringConsentsContract, queryRecurringConsents),
  serve(querySchedulesContract, querySchedules),
  serve(queryBatchesContract, queryBatches),
  serve(queryBankTransactionsContract, queryBankTransactions),
  serve(chargeBankAccountContract, chargeBankAccount, repeatBankCharge),
  serve(voidBankDebitContract, voidBankDebit, repeatBankVoid),
  serve(creditBankDebitContract, creditBankDebit, repeatBankCredit),
  serve(generateReceiptContract, generateReceipt),
  serve(initFormContract, initForm, undefined, findMadeForm),
  serve(queryFormsContract, queryForms),
  serve(makeLinkContract, makeLink, undefined, findMadeLink),
  serve(queryLinksContract, queryLinks),
  serve(withdrawLinkContract, withdrawLink),
  serve(resendLinkContract, resendLink, undefined, findResentLink),
  serve(chargeConsentTokenContract, chargeConsentToken, repeatTokenCharge),
  serve(undoOrderContract, undoOrder, repeatUndoing),
  serve(queryOrdersContract, queryOrders),
  serve(generateOrderReceiptContract, generateOrderReceipt),
  serve(addWebhookContract, addWebhook),
  serve(listWebhooksContract, listWebhooks),
  serve(disableWebhookContract, disableWebhook),
  serve(queryEventsContract, queryEvents),
]

export type SandboxOperations<Needs> = Readonly<Record<'showClock' | 'moveClock', Operation<Needs>>>

// What the sandbox has beyond the interface; its routes stand in transport/browser.
export const sandboxOperations: SandboxOperations<Context> = {
  showClock: serve(showClockContract, showAccountClock),
  moveClock: serve(moveClockContract, moveAccountClock(dueWork)),
}
