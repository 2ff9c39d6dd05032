-- A credit that its bank has sent back gave nothing back, so its debit counts it no longer and can be credited as
-- much once more. Changes only debits of which a credit came back, and holds nothing else. A node of the version
-- before that applies such a return meanwhile still leaves it counted, which reconcile names.
update bank_item d set credited_minor = d.credited_minor - c.minor
from (
  select account_id, parent_id, sum(total_minor)::bigint as minor from bank_item
  where kind = 'credit' and status in ('returned', 'failed') group by 1, 2
) as c
where d.attempt_id = c.parent_id and d.account_id = c.account_id;
comment on column bank_item.credited_minor is 'What credits give back of this debit, without those that came back or were never sent.';
comment on column bank_item.status is 'settled: its batch is accepted; returned: sent back by its bank; failed: sent back by the network.';
