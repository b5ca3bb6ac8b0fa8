-- Whose a conversation is. Of a channel's conversation that is its sender, by channel_id and external_id.

alter table conversations add column owner text;

-- Whose key began it. By a session nobody knows any more: those stay with whoever reaches all.
update conversations set owner = begun.owner
from (
  select distinct on (turns.conversation_id) turns.conversation_id,
    case when api_keys.operator_id is null then 'key:' || replace(api_keys.id::text, '-', '')
      else 'operator:' || replace(api_keys.operator_id::text, '-', '') end as owner
  from turns join api_keys on api_keys.id = turns.api_key_id
  where turns.conversation_id is not null
  order by turns.conversation_id, turns.started_at
) as begun
where conversations.id = begun.conversation_id and conversations.channel_id is null;
