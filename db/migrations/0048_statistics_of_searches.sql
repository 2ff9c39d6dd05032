-- A search in small pages walks the newest records first where the planner believes that many fit. Without
-- statistics it believes so of one in two hundred, also of a reference that one record has. Read by analyze
-- alone, so that no row costs more to write. Takes a lock that lets reads and writes through.
create statistics order_record_client_ref on lower(client_ref) from order_record;
create statistics order_record_guid on lower(guid) from order_record;
analyze order_record;
