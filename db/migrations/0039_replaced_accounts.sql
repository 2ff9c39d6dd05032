-- A bank that corrects an account twice leaves three numbers of one debit in the vault, and the second of them was erased by
-- nobody. The debit remembers it now, so that it is erased with the others. What was replaced before is not found again.
-- A node of the version before remembers nothing. Adds a column with a constant, so it holds bank_item for a moment.
alter table bank_item add column replaced_account_ids bigint[] not null default '{}';
comment on column bank_item.replaced_account_ids is 'What its bank had said was right before it said corrected_account_id; a credit that was sent may have gone there.';
