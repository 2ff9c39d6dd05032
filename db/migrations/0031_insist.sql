-- A transaction that is said in one go, its commit included, cannot wait for what its statements answer. They
-- insist themselves on what must hold, and where it does not the server undoes the transaction. Locks nothing.
create function insist(what text, holds boolean) returns boolean
  language plpgsql stable
  as $$
begin
  if holds is not true then
    raise exception 'Not every row got what it asked for: %', what using errcode = 'TG001', constraint = what;
  end if;
  return true;
end
$$;
