-- A form keeps the fee that its merchant asked for beside the amount, which its payer is charged as far as the card allows.
-- The table is locked while it is read once.

alter table form
  add column fee_minor bigint,
  add constraint form_fee_minor_check check (fee_minor > 0);

comment on column form.fee_minor is 'The Surcharge that the merchant asked for; null leaves the fee to the form.';
