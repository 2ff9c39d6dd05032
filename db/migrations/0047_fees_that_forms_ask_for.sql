-- A form keeps the fee that its merchant asked for beside the amount, which its payer is charged as far as the card allows.
-- The column is added without a rewrite; the table is locked for a moment.

alter table form
  add column fee_minor bigint,
  add constraint form_fee_minor_check check (fee_minor > 0) not valid;
alter table form validate constraint form_fee_minor_check;

comment on column form.fee_minor is 'The Surcharge that the merchant asked for; null leaves the fee to the form.';
