-- Which tools that reach the installation's files, processes, network or credentials a workspace may use: names, or `name*`.

alter table workspaces add column tool_grants text[] not null default '{}';

-- What its agents list today.
update workspaces set tool_grants = listed.names
from (
  select agents.workspace_id, array_agg(distinct tool.name order by tool.name) as names
  from agents cross join lateral jsonb_array_elements_text(
    case when jsonb_typeof(definition -> 'tools') = 'array' then definition -> 'tools' else '[]'::jsonb end
  ) as tool (name)
  where deleted_at is null
    and tool.name not in ('time_now', 'calculator', 'message_user', 'read_result', 'delegate', 'tool_search')
  group by agents.workspace_id
) as listed
where workspaces.id = listed.workspace_id;
