-- phase: expand
-- safe-for: 0.2.0
-- transaction: none
-- What a subscription was not sent is found among all that it was: by the list, by status, and by the state of its outbox.

drop index concurrently if exists subscription_deliveries_by_status;
create index concurrently subscription_deliveries_by_status on subscription_deliveries (subscription_id, status, id);
drop index concurrently if exists subscription_deliveries_by_workspace_status;
create index concurrently subscription_deliveries_by_workspace_status on subscription_deliveries (workspace_id, status, id);
