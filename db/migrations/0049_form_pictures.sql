-- Logos and favicons of merchant records, which the gateway has fetched once and serves itself, on every node. Locks nothing that is in use.

create table form_picture (
  account_id bigint not null,
  merchant_number integer not null,
  kind text not null check (kind in ('logo', 'favicon')),
  name text not null,
  width integer not null,
  height integer not null,
  content bytea not null check (octet_length(content) <= 65536),
  source text not null,
  fetched_at timestamptz not null,
  primary key (account_id, merchant_number, kind),
  foreign key (account_id, merchant_number) references merchant
);
comment on column form_picture.name is 'The last part of its address: a digest of the content, and its type.';
comment on column form_picture.source is 'Where it was fetched from.';

create index form_picture_by_name on form_picture (name);
