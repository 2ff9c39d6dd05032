-- Networks from which an account has signed in: a widespread lockout does not keep them out.
-- Locks nothing that exists.

create table sign_in_success (
  account_code text not null,
  network text not null,
  succeeded_at timestamptz not null,
  constraint sign_in_success_pkey primary key (account_code, network)
);
create index sign_in_success_by_age on sign_in_success (succeeded_at);

comment on table sign_in_success is 'Networks from which an account has signed in, to the day.';
comment on column sign_in_success.network is 'The /24 of an IPv4 address, the /64 of an IPv6 address.';
comment on column sign_in_count.network is 'The /24 of an IPv4 address, the /48 of an IPv6 address.';
