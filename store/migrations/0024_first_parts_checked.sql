-- phase: expand
-- safe-for: 0.2.0
-- Reads them once, while others read and write: so that attaching them need not.

alter table turn_steps validate constraint turn_steps_first_part;
