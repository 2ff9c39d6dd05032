// All SQL of the bank. Its schema is its own: the gateway's migrations know nothing of it, as a merchant's
// database knows nothing of a bank's. The names of a row's members are the names of the columns, so that
// rows travel as one JSON parameter.

export const createSchema = `
create schema if not exists bank;

create table if not exists bank.log_key (
  only_one boolean primary key default true check (only_one),
  key bytea not null
);

-- Append-only: what the bank saw, in order, and what it answered.
create table if not exists bank.request (
  sequence bigint generated always as identity primary key,
  at timestamptz not null,
  verb text not null,
  ref text not null,
  original text not null,
  terminal_id text not null,
  first_six text,
  last_four text,
  card_mark text,
  amount_minor bigint not null,
  fee_minor bigint not null,
  currency text not null,
  outcome text not null,
  code text not null,
  approved_minor bigint not null,
  approval_code text not null,
  network_id text not null,
  avs text not null,
  cvv text not null,
  reason text not null,
  is_repeat boolean not null
);
create index if not exists request_ref on bank.request (ref);

-- What stands under each reference.
create table if not exists bank.standing (
  ref text primary key,
  sequence bigint generated always as identity,
  kind text not null,
  at timestamptz not null,
  digest text not null,
  original text not null,
  terminal_id text not null,
  first_six text,
  last_four text,
  card_mark text,
  amount_minor bigint not null,
  fee_minor bigint not null,
  currency text not null,
  outcome text not null,
  code text not null,
  approved_minor bigint not null,
  approval_code text not null,
  network_id text not null,
  avs text not null,
  cvv text not null,
  reason text not null,
  reversed_at timestamptz,
  refunded_minor bigint not null,
  batch_ref text not null,
  refusals_in_a_row integer,
  chargeback_at timestamptz,
  hidden_until timestamptz,
  silent_until timestamptz
);
create index if not exists standing_sequence on bank.standing (sequence);
create index if not exists standing_refusals on bank.standing (card_mark, sequence)
  where refusals_in_a_row is not null;
create index if not exists standing_chargeback on bank.standing (chargeback_at)
  where chargeback_at is not null;

-- Came later.
alter table bank.request add column if not exists advice text not null default '';
alter table bank.standing add column if not exists advice text not null default '';
`

export const lockSchema = `select pg_advisory_lock(hashtextextended('tillgate bank', 0))`
export const unlockSchema = `select pg_advisory_unlock(hashtextextended('tillgate bank', 0))`
export const makeKey = 'insert into bank.log_key (key) values ($1) on conflict do nothing'
export const readKey = 'select key from bank.log_key'

const rowColumns = `
  at, verb, ref, original, terminal_id, first_six, last_four, card_mark, amount_minor, fee_minor, currency,
  outcome, code, approved_minor, approval_code, network_id, avs, cvv, advice, reason, is_repeat`

const standingColumns = `
  ref, kind, at, digest, original, terminal_id, first_six, last_four, card_mark, amount_minor, fee_minor,
  currency, outcome, code, approved_minor, approval_code, network_id, avs, cvv, advice, reason, reversed_at,
  refunded_minor, batch_ref, refusals_in_a_row, chargeback_at, hidden_until, silent_until`

// The usual case, many at once and in one round trip: references that nobody has used. One that is taken is
// left out of the answer and judged by itself.
export const fileNew = `
with filed as (
  insert into bank.standing (${standingColumns})
  select ${standingColumns} from json_populate_recordset(null::bank.standing, $1::json)
  on conflict (ref) do nothing
  returning ref
), logged as (
  insert into bank.request (${rowColumns})
  select ${rowColumns} from json_populate_recordset(null::bank.request, $2::json)
  where ref in (select ref from filed)
)
select ref from filed`

// In the order of the references, so that two who need several never wait for each other.
export const lockStandings = `
select ${standingColumns} from bank.standing where ref = any($1) order by ref for update`

export const insertStandings = `
insert into bank.standing (${standingColumns})
select ${standingColumns} from json_populate_recordset(null::bank.standing, $1::json)
on conflict (ref) do nothing`

export const changeStandings = `
update bank.standing
set reversed_at = new.reversed_at, refunded_minor = new.refunded_minor, batch_ref = new.batch_ref,
  outcome = new.outcome, code = new.code, approved_minor = new.approved_minor, currency = new.currency,
  approval_code = new.approval_code, reason = new.reason, terminal_id = new.terminal_id
from json_populate_recordset(null::bank.standing, $1::json) new
where standing.ref = new.ref`

// Batches are large.
export const allowMoreTime = `set local statement_timeout = 30000`

// All that may be settled, at once; whoever counts fewer than it sent looks for the one that may not.
export const settleStandings = `
update bank.standing s set batch_ref = $1
from unnest($2::text[], $3::int8[], $4::boolean[]) as i (ref, amount_minor, is_credit)
where s.ref = i.ref and s.kind = case when i.is_credit then 'refund' else 'sale' end
  and s.outcome = 'approved' and s.reversed_at is null and s.batch_ref = '' and s.currency = $5
  and i.amount_minor <= s.approved_minor`

export const appendRow = `
insert into bank.request (${rowColumns})
select ${rowColumns} from json_populate_recordset(null::bank.request, $1::json)`

export const findRefusals = `
select refusals_in_a_row from bank.standing
where card_mark = $1 and refusals_in_a_row is not null
order by sequence desc limit 1`

export const readReport = `
select sequence, ${standingColumns} from bank.standing
where sequence > $1 and at >= $2 and at < $3 and kind in ('sale', 'verification', 'refund')
order by sequence limit 1000`

export const readDisputes = `
select ${standingColumns} from bank.standing
where chargeback_at >= $1 and chargeback_at < $2 and outcome = 'approved' and reversed_at is null
  and refunded_minor = 0
order by sequence`

// Newest first; an empty reference asks for all.
export const readRows = `
select sequence, ${rowColumns} from bank.request
where $1::text = '' or ref = $1
order by sequence desc limit $2`

// Newest first: all that concerns a reference, what undoes it included, from a moment until before another.
export const searchRows = `
select sequence, ${rowColumns} from bank.request
where ($1::text = '' or $1 in (ref, original)) and at >= $2 and at < $3
order by sequence desc limit $4`

export const schemaExists = `select to_regclass('bank.request') is not null as found`

// With everything that the statements above name: a schema of an older bank is completed.
export const schemaIsComplete = `
select exists (select 1 from pg_attribute
  where attrelid = to_regclass('bank.standing') and attname = 'advice') as found`
