-- phase: expand
-- safe-for: 0.2.0
-- Of the calls to a model endpoint that it failed, those in which it refused the service's own key.

alter table endpoint_calls add column refused integer not null default 0;
