-- phase: contract
-- safe-for: 0.2.0
-- How long turns took: all buckets of a group in one row. A row each was dozens of times as many, scattered over the table.

alter table usage_times rename to usage_times_by_bucket;
alter table usage_times_by_bucket rename constraint usage_times_pkey to usage_times_by_bucket_pkey;

-- How many turns took so long: `turns` of each of `buckets`, which are in order and as store/usage/buckets.ts has them.
create table usage_times (
  workspace_id uuid not null,
  grain text not null check (grain in ('hour', 'day', 'month')),
  dimension text not null,
  at timestamptz not null,
  value text not null,
  origin text not null,
  buckets smallint[] not null,
  turns bigint[] not null,
  primary key (workspace_id, grain, dimension, at, value, origin)
) with (fillfactor = 70);
alter table usage_times enable row level security;
alter table usage_times force row level security;
create policy tenant on usage_times to service_tenant using (workspace_id = service_workspace()) with check (workspace_id = service_workspace());
create policy system on usage_times to service_system using (true) with check (true);
grant select, insert, update, delete on usage_times to service_tenant, service_system;

alter table usage_times_by_bucket no force row level security;
alter table usage_times no force row level security;
insert into usage_times
select workspace_id, grain, dimension, at, value, origin, array_agg(bucket order by bucket), array_agg(turns order by bucket)
from usage_times_by_bucket group by workspace_id, grain, dimension, at, value, origin;
alter table usage_times force row level security;

drop table usage_times_by_bucket;
