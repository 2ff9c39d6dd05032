-- A form of an international record goes by way of the payer's bank, so it refers to its order; it keeps what the payer said about
-- mail, and the words under which a bank account is debited. Tries are counted by merchant record and by the beginning of the card
-- as well. Locks form, form_setting and form_try for a moment for the columns, and form against writing while its three indexes are built.

alter table form
  add column order_ref text not null default '',
  add column payer_email text not null default '',
  add column receipt_email text not null default '',
  add column payer_language text not null default '',
  add column bank_agreement text not null default '',
  add column agreed_from text not null default '';
comment on column form.order_ref is 'Of the newest order, in an international record: its Trans_ID. Empty elsewhere and before the first.';
comment on column form.payer_email is 'As the payer gave it with the newest attempt; empty: nothing but what payer says is known.';
comment on column form.receipt_email is 'Where the payer wants the receipt of the newest attempt to be mailed; empty: nowhere.';
comment on column form.payer_language is 'In which the payer read the page: en, es or fr; empty before the first try.';
comment on column form.bank_agreement is 'The authorization that the payer read above the button that debited a bank account, word for word; empty for cards.';
comment on column form.agreed_from is 'The payer''s address at that moment.';

alter table form_setting add column brands text not null default '';
comment on column form_setting.brands is 'Card networks that the record takes, as VI MC AE DS DC JC UP, separated by blanks; empty: all.';

create index form_by_client_ref on form (account_id, client_ref) where client_ref <> '';
create index form_by_guid on form (account_id, guid) where guid <> '';
create index form_by_end on form (expires_at);

alter table form_try
  add column account_id bigint not null default 0,
  add column merchant_number integer not null default 0,
  add column bin_digest bytea not null default '',
  add column is_invalid boolean not null default false,
  add column is_zero boolean not null default false;
create index form_try_of_merchant on form_try (account_id, merchant_number, tried_at);
comment on column form_try.bin_digest is 'Of the first eight digits of the card; empty for a bank account.';
comment on column form_try.is_invalid is 'Declined because the card itself was wrong: its number, its expiry or its code.';
comment on column form_try.is_zero is 'The card was only asked about, not charged.';
