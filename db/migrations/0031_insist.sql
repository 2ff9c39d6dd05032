-- A transaction that is said in one go, its commit included, cannot wait for what its statements answer. They
-- insist themselves on what must hold, and where it does not the server undoes the transaction.
create function insist(holds boolean) returns boolean
  language plpgsql stable
  as $$
begin
  if not holds then
    raise exception 'Not every row of a batch got what it asked for' using errcode = 'TG001';
  end if;
  return holds;
end
$$;
