-- phase: expand
-- safe-for: 0.2.0
-- A key that replaces another counts on the rate of the first of them.

alter table api_keys add column rate_id uuid;
