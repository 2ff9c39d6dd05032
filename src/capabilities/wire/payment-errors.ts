import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

// Merchant records, consents, fees, cards, transactions and the acquirer.
export const paymentErrors = {
  merchant_not_found: {
    code: 6001,
    severity: 'LOW',
    text: 'There is no merchant record {merchant}',
    cause: 'The account has no such merchant record, or the token is not issued for it.',
    remedy: 'Use an ID of the MerchantList that Authenticate returns.',
    sample: { merchant: 9 },
  },
  alternate_not_allowed: {
    code: 6002,
    severity: 'LOW',
    text: 'The account does not allow another merchant record than the one of the consent',
    cause: 'AlternateMerchID names another record, and the account has that switched off.',
    remedy: 'Send 0, or ask the operator: tillgate account set --alternate-merchants.',
  },
  currency_differs: {
    code: 6003,
    severity: 'LOW',
    text: 'The merchant record works in another currency than the consent',
    cause: 'A card on file is charged in the currency of its consent only.',
    remedy: 'Use a merchant record of the same currency.',
  },
  ach_not_taken: {
    code: 6004,
    severity: 'LOW',
    text: 'Merchant record {merchant} takes no bank debits',
    cause: 'The record has ACH switched off, or works in another currency than dollars.',
    remedy: 'Use another record, or ask the operator: tillgate merchant set --ach.',
    sample: { merchant: 3 },
  },
  consent_not_found: {
    code: 6101,
    severity: 'LOW',
    text: 'There is no consent {consent}{hint}',
    cause: 'The account has no such consent, or one of the other kind.',
    remedy:
      'Check the ConsentID. ConsentRecurring is for consents with a payment plan, ConsentAnnual for the others.',
    sample: { consent: 10 },
  },
  consent_cancelled: {
    code: 6102,
    severity: 'LOW',
    text: 'Consent {consent} is cancelled',
    cause: 'The consent was cancelled and its card number removed.',
    remedy: 'Ask the payer for a new consent.',
    sample: { consent: 10 },
  },
  consent_expired: {
    code: 6103,
    severity: 'LOW',
    text: 'Consent {consent} is over; its last day was {endedOn}',
    cause: 'The consent is past its end.',
    remedy: 'Extend it by ConsentAnnual/Modify (NumDays), or ask the payer for a new one.',
    sample: { consent: 10, endedOn: '2027-11-15' },
  },
  over_limit_per_charge: {
    code: 6104,
    severity: 'LOW',
    text: 'The amount is over the limit per charge of consent {consent}: {asked} is more than {limit}',
    cause: 'TotalAmt is more than LimitPerCharge.',
    remedy: "Charge less, or raise the limit with the payer's agreement.",
    sample: { consent: 10, asked: '15.00', limit: '10.00' },
  },
  over_lifetime_limit: {
    code: 6105,
    severity: 'LOW',
    text: 'The amount is over what is left of consent {consent}: {asked} is more than {left} of {limit}',
    cause:
      'All charges together, those under way and those with an unknown outcome included, would be more ' +
      'than LimitLifeTime.',
    remedy:
      "Charge less, or raise the limit with the payer's agreement. While others are under way, try again: " +
      'what is declined gives its part back.',
    sample: { consent: 10, asked: '15.00', left: '4.50', limit: '100.00' },
  },
  card_expired: {
    code: 6106,
    severity: 'LOW',
    text: 'The card expired {expiry}',
    cause: 'The expiry month of the card is over.',
    remedy: 'Send the new expiry by ConsentAnnual/Modify, or ask for another card.',
    sample: { expiry: '10/26' },
  },
  consent_not_begun: {
    code: 6107,
    severity: 'LOW',
    text: 'Consent {consent} begins on {startsOn}',
    cause: 'Today, at the merchant record of the consent, is before its StartDate.',
    remedy: 'Charge on that day or later.',
    sample: { consent: 10, startsOn: '2027-02-01' },
  },
  card_testing: {
    code: 4291,
    severity: 'LOW',
    text: 'Nothing was charged, because this looks like card testing; try again in {seconds} s',
    cause:
      'In a short time too many tries were declined: of this card, of cards with the same first eight ' +
      'digits at the merchant record, or of all cards of the account because the card itself was wrong; ' +
      'or too many cards were verified.',
    remedy:
      'Wait for the time that the Retry-After header names; the same Idempotency-Key may be used. ' +
      'The thresholds stand in docs/running.md. Other cards and accounts are not affected.',
    sample: { seconds: 86400 },
  },
  fees_not_configured: {
    code: 6201,
    severity: 'LOW',
    text: 'The merchant record has no fees configured',
    cause: 'A Surcharge was sent for a merchant record that charges none.',
    remedy: 'Send BaseAmt and TotalAmt only.',
  },
  total_mismatch: {
    code: 6202,
    severity: 'LOW',
    text: 'TotalAmt {total} is not BaseAmt plus Surcharge, which is {sum}',
    cause: 'The three amounts contradict each other.',
    remedy: 'Send a TotalAmt that is the sum, or leave it out.',
    sample: { total: '12.00', sum: '10.30' },
  },
  schedule_not_found: {
    code: 6301,
    severity: 'LOW',
    text: 'There is no scheduled payment {schedule}',
    cause: 'The account has no such scheduled payment.',
    remedy: 'Check the SchedID.',
    sample: { schedule: 10 },
  },
  schedule_not_open: {
    code: 6302,
    severity: 'LOW',
    text: 'Scheduled payment {schedule} is {state}',
    cause:
      'It is paid, cancelled, being charged, declined for good, or was tried as often as its network allows.',
    remedy:
      'Look it up. What was declined for good, or tried too often, needs a new consent with another card.',
    sample: { schedule: 10, state: 'paid' },
  },
  schedule_listed_twice: {
    code: 6303,
    severity: 'LOW',
    text: 'Scheduled payment {schedule} is listed twice',
    cause: 'A payment can be charged once only.',
    remedy: 'Send every SchedID once.',
    sample: { schedule: 10 },
  },
  batch_running: {
    code: 6401,
    severity: 'LOW',
    text: 'The merchant record is being settled at this moment (batch {batch})',
    cause: 'Another call, or the automatic close, has the batch of this record.',
    remedy: 'Wait some seconds and look at the batch.',
    sample: { batch: 3 },
  },
  not_settleable: {
    code: 6402,
    severity: 'LOW',
    text: 'Transaction {transaction} cannot be settled: {problem}',
    cause: 'One of TransactionIDs cannot be settled, so nothing was.',
    remedy: 'Leave it out; the text says why.',
    sample: { transaction: 57, problem: 'it is settled in batch 3' },
  },
  batch_unknown: {
    code: 6403,
    severity: 'HIGH',
    text: 'Whether batch {batch} is accepted is not known yet: call again later, nothing is settled twice',
    cause:
      'The acquirer did not answer, or our database went away behind the close. We keep asking for this very batch.',
    remedy: 'Call again: the same batch is asked for, never built anew.',
    sample: { batch: 3 },
  },
  batch_altered: {
    code: 6404,
    severity: 'HIGH',
    text: 'Batch {batch} is not sent: {problem}',
    cause: 'Rows of the batch were changed by hand, or the number of a bank account in it cannot be read.',
    remedy: 'Ask the operator: tillgate reconcile names the rows.',
    sample: { batch: 3, problem: 'its transactions are not what was sent' },
  },
  books_disagree: {
    code: 6405,
    severity: 'HIGH',
    text: 'The books do not agree with transaction {transaction}; nothing was settled',
    cause: 'A batch closes only if every row of it stands in the ledger with the same amount and fee.',
    remedy: 'Ask the operator: tillgate reconcile. The others can be settled by ExecuteBatch_Selective.',
    sample: { transaction: 57 },
  },
  record_international: {
    code: 6406,
    severity: 'LOW',
    text: 'Merchant record {merchant} is international: its transactions are settled by the bank',
    cause: 'International records have no batches.',
    remedy: 'Use a domestic merchant record.',
    sample: { merchant: 2 },
  },
  sale_not_open: {
    code: 6701,
    severity: 'LOW',
    text: 'Transaction {transaction} cannot be {done}: {problem}',
    cause:
      'An approved sale is voided while it is in no batch, not voided, not credited and not taken by ' +
      'another call. It is credited while it is not voided, not locked by an unfinished batch and not taken.',
    remedy:
      'The text says why. A settled sale, and the rest of one that was credited in part, is given back by ' +
      'CardSale/ApplyCredit; what happens at this moment can be tried again.',
    sample: { transaction: 57, done: 'voided', problem: 'it is settled in batch 3: credit it instead' },
  },
  credit_over_sale: {
    code: 6702,
    severity: 'LOW',
    text: '{left} of transaction {transaction} can still be credited',
    cause: 'All credits of a sale together are at most what was approved.',
    remedy: 'Credit at most what is left.',
    sample: { transaction: 57, left: 'Only 12.50' },
  },
  look_alike: {
    code: 6705,
    severity: 'LOW',
    text: 'DUPLICATE of transaction {transaction}, which {fate}. Nothing was charged by this call',
    cause:
      'The merchant record asks for this check (tillgate merchant set --look-alike-seconds), and within ' +
      'that time the same ClientRefID or RPGUID was charged with the same consent, or none, and the same ' +
      'total. TxID is the earlier transaction.',
    remedy:
      'Look the earlier transaction up. Send another reference for another purchase, or void the earlier ' +
      'transaction to charge it anew.',
    sample: { transaction: 57, fate: 'was approved with code QKZVHT' },
  },
  debit_not_voidable: {
    code: 6711,
    severity: 'LOW',
    text: 'Transaction {transaction} cannot be voided: {problem}',
    cause:
      'Only a bank debit or credit that is in no settlement yet can be voided, and a debit only without credits.',
    remedy: 'Look it up; use ACH/ApplyCredit after settlement. Void the credits of a debit before the debit.',
    sample: { transaction: 57, problem: 'it is settled: credit it instead' },
  },
  debit_not_creditable: {
    code: 6712,
    severity: 'LOW',
    text: 'Transaction {transaction} cannot be credited: {problem}',
    cause: 'Only what is left of a bank debit that is open or settled can be credited.',
    remedy: 'Look it up; credit less, or wait until its settlement is through.',
    sample: { transaction: 57, problem: 'only 5.00 of it is left' },
  },
  receipt_not_of_type: {
    code: 6721,
    severity: 'LOW',
    text: 'There is no receipt of type {type} for {reference}{hint}',
    cause: 'The transaction or consent is of another kind than ReceiptType says, or nothing came of it.',
    remedy:
      'Send the ReceiptType that fits: 1 sale, 2 void, 3 refund, 4 and 5 consents, 7 to 9 bank accounts. ' +
      'Receipts of international orders, type 23, are for Intl/ReceiptGenerate.',
    sample: { type: 2, reference: 57 },
  },
  transaction_not_found: {
    code: 6724,
    severity: 'LOW',
    text: 'Could NOT retrieve transaction details for TXID {transaction}',
    cause: 'The account has no such transaction.',
    remedy: 'Check the TxID.',
    sample: { transaction: 53000 },
  },
  not_charged: {
    code: 9002,
    severity: 'HIGH',
    text: 'The acquirer was not reached; nothing was charged',
    cause:
      'The request never left this machine. While the acquirer answers nobody, it is not even recorded. ' +
      'A card on file that cannot be read is another cause: the log of the gateway names it.',
    remedy: 'Try again; the same Idempotency-Key may be used.',
  },
  outcome_unknown: {
    code: 9003,
    severity: 'HIGH',
    text: 'The outcome is not known yet: query the TxID, do not charge again',
    cause:
      'The acquirer did not answer, or our database went away behind the call. We keep asking until it is known.',
    remedy: 'Send the same Idempotency-Key again, or call Operation/Lookup.',
  },
  charge_reversed: {
    code: 9004,
    severity: 'HIGH',
    text: 'The answer of the bank came too late and the charge was reversed: you may try again',
    cause: 'The call had no Idempotency-Key, so an approval that nobody heard of was undone.',
    remedy: 'Charge again, with an Idempotency-Key.',
  },
  invalid_card: {
    code: 55716,
    severity: 'LOW',
    text: 'Invalid card data: {problem}',
    cause: 'The card number, expiry, security code or track cannot be right.',
    remedy: 'Ask the payer to check the card.',
    sample: { problem: 'ccCardInfo.AccountNumber is not a card number' },
  },
} as const satisfies Record<string, ErrorEntry>
