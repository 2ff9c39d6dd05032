import { chargeBankAccountContract } from '#capabilities/bank-debits/charge-bank-account.contract.ts'
import {
  chargeBankAccount,
  repeatBankCharge,
} from '#capabilities/bank-debits/charge-bank-account.operation.ts'
import { creditBankDebitContract } from '#capabilities/bank-debits/credit-bank-debit.contract.ts'
import { creditBankDebit, repeatBankCredit } from '#capabilities/bank-debits/credit-bank-debit.operation.ts'
import { voidBankDebitContract } from '#capabilities/bank-debits/void-bank-debit.contract.ts'
import { repeatBankVoid, voidBankDebit } from '#capabilities/bank-debits/void-bank-debit.operation.ts'
import { calculateFeesContract } from '#capabilities/consents/calculate-fees.contract.ts'
import { calculateFees } from '#capabilities/consents/calculate-fees.operation.ts'
import { cancelAnnualConsentContract } from '#capabilities/consents/cancel-annual-consent.contract.ts'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import { chargeStoredCardContract } from '#capabilities/consents/charge-stored-card.contract.ts'
import { chargeStoredCard, repeatStoredCharge } from '#capabilities/consents/charge-stored-card.operation.ts'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import {
  createAnnualConsent,
  repeatCreation,
} from '#capabilities/consents/create-annual-consent.operation.ts'
import { modifyAnnualConsentContract } from '#capabilities/consents/modify-annual-consent.contract.ts'
import { modifyAnnualConsent } from '#capabilities/consents/modify-annual-consent.operation.ts'
import type { Context } from '#capabilities/context.ts'
import { generateReceiptContract } from '#capabilities/receipts/generate-receipt.contract.ts'
import { generateReceipt } from '#capabilities/receipts/generate-receipt.operation.ts'
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
import { type Operation, serve } from '#capabilities/wire/contract.ts'

// The one list of public operations. REST, SOAP with its WSDL, OpenAPI, the docs and the contract tests are
// loops over it.
export const operations: readonly Operation<Context>[] = [
  serve(authenticateContract, authenticate),
  serve(querySessionContract, querySession),
  serve(endSessionContract, endSession),
  serve(createAnnualConsentContract, createAnnualConsent, repeatCreation),
  serve(calculateFeesContract, calculateFees),
  serve(chargeStoredCardContract, chargeStoredCard, repeatStoredCharge),
  serve(modifyAnnualConsentContract, modifyAnnualConsent),
  serve(cancelAnnualConsentContract, cancelAnnualConsent),
  serve(chargeCardContract, chargeCard, repeatCharge),
  serve(voidSaleContract, voidSale, repeatVoid),
  serve(creditSaleContract, creditSale, repeatCredit),
  serve(settleSelectedContract, settleSelected),
  serve(settleAllContract, settleAll),
  serve(lookUpOperationContract, lookUpOperation),
  serve(chargeBankAccountContract, chargeBankAccount, repeatBankCharge),
  serve(voidBankDebitContract, voidBankDebit, repeatBankVoid),
  serve(creditBankDebitContract, creditBankDebit, repeatBankCredit),
  serve(generateReceiptContract, generateReceipt),
]

export type SandboxOperations<Needs> = Readonly<Record<'showClock' | 'moveClock', Operation<Needs>>>

// What the sandbox has beyond the interface; its routes stand in transport/browser.
export const sandboxOperations: SandboxOperations<Context> = {
  showClock: serve(showClockContract, showAccountClock),
  moveClock: serve(moveClockContract, moveAccountClock(dueWork)),
}
