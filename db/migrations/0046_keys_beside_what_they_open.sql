-- The wrapped key of a card or bank account stands in its row and no longer in a row of its own. Every charge reads both: without the
-- second row a charge takes PostgreSQL a twentieth less time. Erasing empties number and key in one update, which it did to the number anyway, so nothing
-- of either stays longer than it did: until the vacuum that follows.
-- Holds all three tables and writes every card and bank account anew, some seconds for a million. Nodes of the version before find no
-- keys any more: stop all of them first.

lock table vault_card, vault_bank_account, vault_card_key in access exclusive mode;

-- Half of every page is left free, as it was for the keys, so that a rotation rewrites all rows in their pages without touching the
-- index; and what is erased is vacuumed early.
alter table vault_card set (fillfactor = 50);
alter table vault_bank_account
  set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50);

alter table vault_card add column wrapped bytea, add column kek_version integer;
alter table vault_bank_account add column wrapped bytea, add column kek_version integer;

update vault_card card set wrapped = card_key.wrapped, kek_version = card_key.kek_version
from vault_card_key card_key where card_key.card_id = card.card_id and card.erased_at is null;
update vault_bank_account kept set wrapped = card_key.wrapped, kek_version = card_key.kek_version
from vault_card_key card_key where card_key.card_id = kept.bank_account_id and kept.erased_at is null;

-- What is erased has no key, and a key has its version.
alter table vault_card add constraint vault_card_key_check
  check ((wrapped is null) = (kek_version is null) and (erased_at is null or wrapped is null));
alter table vault_bank_account add constraint vault_bank_account_key_check
  check ((wrapped is null) = (kek_version is null) and (erased_at is null or wrapped is null));

drop table vault_card_key;

comment on table vault_card is 'What is shown of a card, and its number as nobody can read it without the card key.';
comment on column vault_card.wrapped is 'The key of this one card, wrapped by a version of the card key. Without it the card is erased.';
comment on table vault_bank_account is 'What is shown of a bank account, and its number as nobody can read it without the card key.';
comment on column vault_bank_account.wrapped is 'The key of this one account, wrapped by a version of the card key. Without it the account is erased.';
comment on column vault_bank_account.bank_account_id is 'From the series of vault_card: what is sealed for one id is that of a card or of an account, never of both.';
