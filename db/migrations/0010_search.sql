-- How people find payments and consents again (docs/decisions/0012-query-language.md).
-- Builds indexes while payment and consent are held, so a large installation is migrated in a quiet hour.

-- One index in place of another: the newest payments of an account, and those of a day.
drop index payment_of_account;
create index payment_by_time on payment (account_id, created_at, payment_id);

-- One index for last four digits and for last names: a name is sought under each of the hundred pairs of digits, and four digits
-- among the names under one pair.
create index payment_by_card on payment (account_id, left(details ->> 'lastFour', 2),
  lower(details ->> 'holderLastName') text_pattern_ops, (details ->> 'lastFour'));

-- References are rare values: a block range index finds the few blocks that may hold one, and costs a charge next to nothing.
create index payment_by_reference on payment using brin (
  lower(details ->> 'clientRef') text_bloom_ops (n_distinct_per_range = 400, false_positive_rate = 0.001),
  lower(details ->> 'guid') text_bloom_ops (n_distinct_per_range = 400, false_positive_rate = 0.001),
  (details ->> 'consentId') text_bloom_ops (n_distinct_per_range = 400, false_positive_rate = 0.001)
) with (pages_per_range = 32);

-- New blocks are read through until a vacuum has summed them up, so it comes after so many payments, however large the table.
alter table payment set (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);

-- Consents are made rarely, and charges change none of these columns.
drop index consent_of_account;
create index consent_by_time on consent (account_id, created_at, consent_id);
create index consent_by_name on consent (account_id, lower(holder_last_name) text_pattern_ops);
create index consent_by_customer_ref on consent (account_id, lower(customer_ref));
create index consent_by_guid on consent (account_id, lower(guid));
