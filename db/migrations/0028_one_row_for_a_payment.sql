-- A payment repeated the row of its attempt: the same columns, a second primary key, a second copy of the details
-- (docs/decisions/0023-one-row-for-attempt-and-payment.md). Now it is the attempt, and the name payment is a view of it.
-- Holds attempt and payment until it is done. Reads both of them, writes every attempt that is a payment anew, for the most part into the
-- free half of its page, builds three indexes of attempt and reads it twice more: 200,000 attempts took 3 to 8 seconds. A large database is
-- migrated in a quiet hour, with all nodes stopped. Calls of a node that goes on are refused or told as unknown if they wait for more than
-- two seconds, and afterwards it works as before.

-- Whoever asks for a lock and waits keeps everybody behind it waiting, so it is asked for a second at a time.
do $$
begin
  perform set_config('lock_timeout', '1s', true);
  for try in 1 .. 60 loop
    begin
      lock table payment, attempt in access exclusive mode;
      perform set_config('lock_timeout', '0', true);
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'another program holds attempt or payment; nothing was changed';
end
$$;

-- What a payment says, its attempt must say as well, or one of the two would be lost without a word.
do $$
declare
  strange bigint;
  parts text;
begin
  select p.payment_id into strange
  from payment p left join attempt a on a.attempt_id = p.payment_id
  where (p.payment_id, p.account_id, p.merchant_number, p.kind, p.parent_id, p.currency, p.acquirer_ref, p.total_minor, p.fee_minor,
      p.approval_code, p.result_code, p.avs, p.cvv, p.is_partial, p.details, p.created_at)
    is distinct from (a.attempt_id, a.account_id, a.merchant_number, a.kind::text, a.parent_id, a.currency, a.acquirer_ref,
      case p.status when 'failed' then a.total_minor else a.approved_minor end,
      case p.status when 'failed' then a.fee_minor else a.approved_fee_minor end,
      a.approval_code, a.result_code, a.avs, a.cvv, a.state = 'partial', a.details, a.created_at)
  limit 1;
  if not found then
    return;
  end if;
  select string_agg(said.key, ', ' order by said.key) into parts
  from payment p left join attempt a on a.attempt_id = p.payment_id, jsonb_each(to_jsonb(p)) said
  where p.payment_id = strange and said.key not in ('status', 'taken_by', 'changed_at', 'credited_minor', 'credited_fee_minor')
    and said.value is distinct from case said.key
      when 'payment_id' then to_jsonb(a.attempt_id)
      when 'total_minor' then to_jsonb(case p.status when 'failed' then a.total_minor else a.approved_minor end)
      when 'fee_minor' then to_jsonb(case p.status when 'failed' then a.fee_minor else a.approved_fee_minor end)
      when 'is_partial' then to_jsonb(a.state = 'partial')
      else to_jsonb(a) -> said.key end;
  raise exception 'payment % says something else than its attempt, or has none: %; nothing was changed', strange, parts;
end
$$;

drop index attempt_of_account;

-- A column whose domain has a check makes PostgreSQL write the whole table anew, so the check comes after the column.
alter domain payment_status drop constraint payment_status_check;
alter table attempt
  add column status payment_status,
  add column changed_at timestamptz,
  add column taken_by text,
  add column credited_minor bigint not null default 0,
  add column credited_fee_minor bigint not null default 0;
update attempt a
  set status = p.status, changed_at = p.changed_at, taken_by = p.taken_by, credited_minor = p.credited_minor,
    credited_fee_minor = p.credited_fee_minor
  from payment p where p.payment_id = a.attempt_id;
drop table payment;

-- No index holds a column that changes when an attempt moves or a sale is taken, nor is bound to one: the new version of a row then stays
-- in its page, and no index is written.
-- The newest of an account, and those of a day.
create index attempt_by_time on attempt (account_id, created_at, attempt_id);
-- Last four digits and last names: a name is sought under each of the hundred pairs of digits, and four digits among the names under
-- one pair.
create index attempt_by_card on attempt (account_id, left(details ->> 'lastFour', 2),
  lower(details ->> 'holderLastName') text_pattern_ops, (details ->> 'lastFour'));
-- References are rare values: a block range index finds the few blocks that may hold one, and costs a charge next to nothing.
create index attempt_by_reference on attempt using brin (
  lower(details ->> 'clientRef') text_bloom_ops (n_distinct_per_range = 400, false_positive_rate = 0.001),
  lower(details ->> 'guid') text_bloom_ops (n_distinct_per_range = 400, false_positive_rate = 0.001),
  (details ->> 'consentId') text_bloom_ops (n_distinct_per_range = 400, false_positive_rate = 0.001)
) with (pages_per_range = 32);
-- New blocks are read through until a vacuum has summed them up, so it comes after so many attempts, however large the table.
alter table attempt set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);

comment on column attempt.status is 'Of the payment that it is: of a sale or credit whose outcome is known. null: it is none, or none yet.';
comment on column attempt.changed_at is 'When its payment was written or changed last, by the account''s clock.';
comment on column attempt.taken_by is 'The reference of the void or credit that has this sale: a credit while it is under way, a void also after.';
comment on column attempt.credited_minor is 'What approved credits have given back of this sale, its fee included.';

-- The kind as a plain text, as it was, so that what older nodes have prepared still fits.
create view payment as
  select attempt_id as payment_id, account_id, merchant_number, kind::text as kind, parent_id, status,
    case status when 'failed' then total_minor else approved_minor end as total_minor,
    case status when 'failed' then fee_minor else approved_fee_minor end as fee_minor,
    currency, acquirer_ref, approval_code, result_code, avs, cvv, state = 'partial' as is_partial, details, taken_by, created_at,
    changed_at, credited_minor, credited_fee_minor
  from attempt where status is not null;
comment on view payment is 'Attempts that are payments. A decline shows what was asked for, all others what was approved.';

-- Nodes of the version before insert their payments. They have moved the attempt in the same statement, and all that is left to say is its
-- status.
create function take_payment_of_older_node() returns trigger language plpgsql as $$
begin
  update attempt set status = new.status, changed_at = new.changed_at where attempt_id = new.payment_id;
  return new;
end
$$;
create trigger payment_of_older_node instead of insert on payment
  for each row execute function take_payment_of_older_node();
-- Whoever deleted a payment lost a copy, and would lose the attempt now.
create trigger payment_stays instead of delete on payment for each row execute function refuse_change();

alter domain payment_status add constraint payment_status_check check (value in ('open', 'failed', 'void', 'settled'));
analyze attempt;
