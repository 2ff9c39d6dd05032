// What somebody with every right could alter in the database, and how it must be named. T is the transaction.

export type Altered =
  | 'sale'
  | 'declined'
  | 'credited'
  | 'voided'
  | 'disputed'
  | 'debit'
  | 'returned'
  | 'givenBack'

const ofPayment = (change: string) => `update payment set ${change} where payment_id = $1`
const ofPosting = (change: string) => `update journal set ${change} where attempt_id = $1`
const ofAttempt = (change: string) => `update attempt set ${change} where attempt_id = $1`
const ofDebit = (change: string) => `update bank_item set ${change} where attempt_id = $1`
const ofDispute = (change: string) => `update dispute set ${change} where payment_id = $1`
const ofBatch = (change: string) =>
  `update batch set ${change} where batch_id = (select batch_id from batch_item where payment_id = $1)`
const ofFile = (change: string) =>
  `update bank_file set ${change} where batch_id = (select batch_id from batch_item where payment_id = $1)`

type Alteration = readonly [what: string, whose: Altered, sql: string, expected: RegExp]

export const alterations: readonly Alteration[] = [
  [
    'amount of a payment',
    'sale',
    ofAttempt('approved_minor = 2501'),
    /^T: the ledger has 25.00 USD, not 25.01 USD$/,
  ],
  [
    'fee of a payment',
    'sale',
    ofAttempt('approved_fee_minor = 1'),
    /^T: the ledger has fee 0.00 USD, not 0.01 USD$/,
  ],
  ['account of a payment', 'sale', ofAttempt('account_id = 0'), /^T: 1 of its postings have another account/],
  [
    'record of a payment',
    'sale',
    ofAttempt('merchant_number = 9'),
    /^T: 1 of its postings have another account/,
  ],
  [
    'currency of a payment',
    'sale',
    ofAttempt(`currency = 'EUR'`),
    /^T: 1 of its postings have another account/,
  ],
  ['payment that is gone', 'sale', ofAttempt('status = null'), /^T: it is approved and has no payment$/],
  [
    'payment that is gone from its batch',
    'sale',
    ofAttempt('status = null'),
    /^T: it is in batch 1, and it is no payment$/,
  ],
  [
    'declined payment set to open',
    'declined',
    ofPayment(`status = 'open'`),
    /^T: its payment is open, and it is d/,
  ],
  [
    'approved payment set to failed',
    'sale',
    ofPayment(`status = 'failed'`),
    /^T: its payment is marked as failed/,
  ],
  [
    'payment set to voided',
    'sale',
    ofPayment(`status = 'void'`),
    /^T: it is voided, and no void of it is appro/,
  ],
  [
    'payment in a batch set to voided',
    'sale',
    ofPayment(`status = 'void'`),
    /^T: it is in batch 1, and it is void$/,
  ],
  [
    'voided payment set to open',
    'voided',
    ofPayment(`status = 'open'`),
    /^T: a void of it is approved, and its pay/,
  ],
  [
    'void that is marked as a payment',
    'voided',
    `update attempt set status = 'open' where parent_id = $1`,
    /: it is marked as a payment, and it is a void$/,
  ],
  [
    'account of a declined payment',
    'declined',
    ofAttempt('account_id = 0'),
    /^T: its account does not exist$/,
  ],
  [
    'sum of credits',
    'credited',
    ofPayment('credited_minor = 501'),
    /^T: its payment says 5.01 USD were credited/,
  ],
  [
    'amount of a posting',
    'sale',
    ofPosting('amount_minor = 2400'),
    /^T: the ledger has 24.00 USD, not 25.00 USD$/,
  ],
  ['fee of a posting', 'sale', ofPosting('fee_minor = 30'), /^T: the ledger has 25.30 USD, not 25.00 USD$/],
  ['fee of a price', 'sale', ofPosting('amount_minor = 2470, fee_minor = 30'), /^T: the ledger has fee 0.30/],
  [
    'sides of a posting',
    'sale',
    ofPosting(`credit = 'fees'`),
    /^T: the ledger has fee 25.00 USD, not 0.00 USD$/,
  ],
  ['account of a posting', 'sale', ofPosting('account_id = 0'), /^T: 1 of its postings have another account/],
  [
    'record of a posting',
    'sale',
    ofPosting('merchant_number = 9'),
    /^T: 1 of its postings have another account/,
  ],
  [
    'currency of a posting',
    'sale',
    ofPosting(`currency = 'EUR'`),
    /^T: 1 of its postings have another account/,
  ],
  [
    'posting that is gone',
    'sale',
    'delete from journal where attempt_id = $1',
    /^T: the ledger has 0.00 USD, not/,
  ],
  [
    'posting of nothing',
    'sale',
    ofPosting('attempt_id = 900000'),
    /^transaction 900000: there is a posting of 25.00 USD, and no such transaction$/,
  ],
  [
    'attempt that is gone',
    'sale',
    'delete from attempt where attempt_id = $1',
    /^T: there is a posting of 25.00 USD, and no such transaction$/,
  ],
  [
    'outcome of an attempt',
    'sale',
    ofAttempt('approved_minor = 9900'),
    /^T: the bank has 25.00 USD, approved were/,
  ],
  ['reference of an attempt', 'sale', ofAttempt(`acquirer_ref = 'x'`), /^T: the bank does not know it$/],
  [
    'row of a batch that is gone',
    'sale',
    'delete from batch_item where payment_id = $1',
    /^T: it is settled in the batch with reference \w+ at the bank, and in none with us$/,
  ],
  [
    'sales of a batch',
    'sale',
    ofBatch('sales_minor = 1'),
    /^batch 1: its sales sum up to 10070.90 USD, closed were/,
  ],
  [
    'credits of a batch',
    'sale',
    ofBatch('credits_minor = 1'),
    /^batch 1: its credits sum up to 12.00 USD, closed/,
  ],
  ['count of a batch', 'sale', ofBatch('item_count = 1'), /^batch 1: it has 8 rows, closed were 1$/],
  ['cards of a batch', 'sale', ofBatch('card_count = 1'), /^batch 1: it has 4 rows of cards, closed were 1$/],
  [
    'net of a batch',
    'sale',
    ofBatch('card_net_minor = 1'),
    /^batch 1: its rows of cards sum up to 9960.40 USD/,
  ],
  [
    'batch set to rejected',
    'sale',
    ofBatch(`state = 'rejected'`),
    /^batch 1: it is rejected, and the bank has acc/,
  ],
  [
    'batch set to released',
    'sale',
    ofBatch(`state = 'released'`),
    /^batch 1: it is released, and still has 8 rows$/,
  ],
  [
    'batch left as sent',
    'sale',
    ofBatch(`state = 'sent'`),
    /^batch 1: it was sent, and what became of it was nev/,
  ],
  [
    'batch left while closing',
    'sale',
    ofBatch(`state = 'closing'`),
    /^batch 1: it is closed and was never sent$/,
  ],
  [
    'amount of a debit',
    'debit',
    ofDebit('total_minor = 1'),
    /^T: its bank debit says 0.01 USD, recorded were 20.00/,
  ],
  ['status of a debit', 'debit', ofDebit(`status = 'open'`), /^T: its bank debit is open, not settled$/],
  [
    'returned debit set to settled',
    'returned',
    ofDebit(`status = 'settled'`),
    /^T: its bank debit is settled, not r/,
  ],
  [
    'returned debit set to failed',
    'returned',
    ofDebit(`status = 'failed'`),
    /^T: its bank debit is failed, not r/,
  ],
  [
    'credits of a debit',
    'givenBack',
    ofDebit('credited_minor = 0'),
    /^T: its bank debit says 0.00 USD were credited/,
  ],
  ['debit out of its batch', 'debit', ofDebit('batch_id = null'), /^batch 1: it has 7 rows, closed were 8$/],
  [
    'debit in no batch there is',
    'debit',
    ofDebit('batch_id = 0'),
    /^T: it is in a batch that does not exist$/,
  ],
  [
    'record of a debit',
    'debit',
    ofDebit('merchant_number = 9'),
    /^T: its bank debit belongs to another account/,
  ],
  ['currency of a debit', 'debit', ofDebit(`currency = 'EUR'`), /^T: its bank debit is in EUR, not in USD$/],
  [
    'debit that is gone',
    'debit',
    'delete from bank_item where attempt_id = $1',
    /^T: it is recorded and has no bank/,
  ],
  [
    'trace of a debit',
    'debit',
    ofDebit(`trace = '1'`),
    /^batch 1: its file tells the bank debit N differently$/,
  ],
  ['file set back', 'sale', ofFile('accepted_at = null'), /^batch 1: it holds bank debits, and has no file/],
  [
    'file cut off',
    'sale',
    ofFile('text = left(text, 300)'),
    /^batch 1: it holds bank debits, and has no file/,
  ],
  [
    'amount of a dispute',
    'disputed',
    ofDispute('amount_minor = 1'),
    /^T: its dispute is open, and the ledger has 99/,
  ],
  [
    'end of a dispute',
    'disputed',
    ofDispute(`state = 'lost'`),
    /^T: its dispute is lost, and the ledger has 0.00 U/,
  ],
  [
    'void of what is disputed',
    'disputed',
    ofPayment(`status = 'void'`),
    /^T: it is voided, and its dispute is open$/,
  ],
  [
    'credit of what is disputed',
    'disputed',
    ofPayment('credited_minor = 1'),
    /^T: 0.01 USD of it are credited and 9900.40 USD disputed, approved were 9900.40 USD$/,
  ],
  [
    'dispute that is gone',
    'disputed',
    'delete from dispute where payment_id = $1',
    /^T: its dispute does not exist/,
  ],
]
