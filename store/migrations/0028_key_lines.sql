-- phase: expand
-- safe-for: 0.2.0
-- transaction: none
-- A key and those that it was rotated from or into are found by the first of them: a budget of one is of all.

drop index concurrently if exists api_keys_by_rate;
create index concurrently api_keys_by_rate on api_keys (coalesce(rate_id, id));
