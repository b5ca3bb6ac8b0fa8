-- phase: expand
-- safe-for: 0.2.0
-- transaction: none
-- Conversations are listed by their last activity; those that have none recorded, by their beginning.

drop index concurrently if exists conversations_by_activity;
create index concurrently conversations_by_activity on conversations
  (workspace_id, coalesce(active_at, date_bin('1 minute', created_at, timestamptz '2000-01-01 00:00:00+00')), id);
