-- A column that was given another type has no statistics. The columns of migration 26 get theirs here.
analyze attempt (kind, state, policy, avs_needed), payment (status), consent (kind, state);
