-- phase: expand
-- safe-for: 0.2.0
-- Where a node runs, and since when it drains: because it ends, or because an operator has asked it to.

alter table instances
  add column host text,
  add column draining_at timestamptz;
