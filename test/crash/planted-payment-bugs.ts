// What can go wrong with a payment, planted in the attempt that it is. Each by the invariant that finds it.
export const paymentBugs: readonly (readonly [invariant: string, sentence: string, sql: string])[] = [
  ['I3', 'a payment that nobody finds', 'update attempt set status = null where attempt_id = :sale'],
  [
    'I3',
    'a void that passes for a payment',
    `update attempt set status = 'open' where account_id = :account and kind = 'void'`,
  ],
  [
    'I6',
    'a payment of another amount than the books have',
    'update attempt set approved_minor = 1 where attempt_id = :sale',
  ],
  [
    'I8',
    'a payment of more than was asked for',
    'update attempt set approved_minor = total_minor + 1 where attempt_id = :sale',
  ],
  [
    'I10',
    'a sale that is void without a void',
    `update attempt set status = 'void' where attempt_id = :sale`,
  ],
  [
    'I10',
    'a sale of which more was given back than it says',
    'update attempt set credited_minor = 1 where attempt_id = :sale',
  ],
  ['I10', 'a sale that stays taken', `update attempt set taken_by = 'x' where attempt_id = :sale`],
]
