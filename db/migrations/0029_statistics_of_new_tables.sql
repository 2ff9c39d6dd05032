-- What PostgreSQL assumes of tables that it has not analyzed yet, which a new installation has for its first
-- minute: every batch keeps its plan until then. Takes SHARE UPDATE EXCLUSIVE of those tables, and of none
-- that belongs to somebody else.

-- Migrations 27 and 28 analyzed them empty. PostgreSQL then takes them for empty, and a batch goes through the
-- whole table: a charge among the first 10,000 took 17 ms. Of what it knows nothing of it assumes more.
select pg_clear_relation_stats(n.nspname, c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = current_schema() and c.relkind = 'r' and c.reltuples = 0
  and c.relowner = (select relowner from pg_class where oid = 'attempt'::regclass);

-- It also takes an account for as telling as an id, and looked a batch's rows up by an index of the account:
-- 16 of 10,000 consents took 15 ms. All rows may well be of one account.
select pg_restore_attribute_stats('schemaname', n.nspname::text, 'relname', c.relname::text,
  'attname', a.attname::text, 'inherited', false, 'null_frac', 0::real, 'avg_width', 8, 'n_distinct', 1::real)
from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
where n.nspname = current_schema() and c.relkind = 'r' and c.reltuples = -1
  and c.relowner = (select relowner from pg_class where oid = 'attempt'::regclass);
