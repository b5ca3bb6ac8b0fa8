-- phase: expand
-- safe-for: 0.2.0
-- When something was last said in a conversation, to the minute: the list is in this order. By the minute, so that the index
-- gets one entry a minute of a busy conversation, not one a message. Null: written by a version that did not know the column.

alter table conversations add column active_at timestamptz;
alter table conversations alter column active_at set default date_trunc('minute', now());
