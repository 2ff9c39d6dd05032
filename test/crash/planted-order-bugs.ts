// What can be wrong with an international order, in SQL, for the checker to find.
export const orderBugs: readonly (readonly [sentence: string, sql: string])[] = [
  [
    'an order that ends twice',
    `insert into order_record (order_id, account_id, merchant_number, transaction_id, action, result, status,
       amount_minor, amount_mills, currency, approval_code, decline_reason, attempt_ref, last_name,
       first_name, customer_last_name, customer_first_name, client_ref, guid, last_four, consent_id,
       consent_token, origin, awaits_bank, created_at)
     select order_id, account_id, merchant_number, transaction_id, action, result, status, amount_minor,
       amount_mills, currency, '', '', '', '', '', '', '', '', '', '', '', '', '', false, created_at
     from order_record where account_id = :account and status = 'DECLINED'`,
  ],
  ['an order that is forgotten', 'delete from card_order where account_id = :account'],
  [
    'an order that is declined although it was paid',
    `update card_order set state = 'declined' where account_id = :account and state = 'settled'`,
  ],
  [
    'an order that is settled with another amount',
    `update order_record set amount_minor = 1 where account_id = :account and status = 'SETTLED'`,
  ],
  [
    'a void order that went to the bank',
    `update card_order set bank_at = '2027-01-15' where account_id = :account and state = 'void'`,
  ],
  [
    'a void that nobody is told of',
    `delete from order_record where account_id = :account and status = 'VOID'`,
  ],
  [
    'a refund of more than was given back',
    `update order_record set amount_minor = amount_minor + 1
     where account_id = :account and status = 'REFUND'`,
  ],
  [
    'an attempt that is told twice',
    `update order_record set attempt_ref = 'twice' where account_id = :account and attempt_ref <> ''`,
  ],
  ['an order that stays taken', `update card_order set taken_by = 'x' where account_id = :account`],
]
