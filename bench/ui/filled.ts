/** A service with as much in it as a busy one has after a year: conversations, messages, turns, deliveries, audit entries. */
import { openDatabase } from '../../store/database.ts'
import { findEmbedded } from '../../store/embedded/find.ts'
import { openPool } from '../../store/postgres/pool.ts'
import type { Bench } from '../row.ts'
import type { OurServer } from '../servers/ours.ts'

/** Of each kind as many rows, one a minute up to now, in the service's first workspace. */
export async function fill(server: OurServer, { scale: { uiRows }, say }: Bench): Promise<void> {
  const found = await findEmbedded({ dataDir: server.dataDir, isDataDirExplicit: true })
  if (!found) throw new Error(`no database runs in ${server.dataDir}`)
  const db = openDatabase(found.address)
  say(`${uiRows} conversations, turns, deliveries and audit entries`)
  try {
    await db.system`
      insert into conversations (id, workspace_id, title, last_seq, created_at, updated_at, folder, tags)
      select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || right(md5(n::text), 19))::uuid,
        workspace.id, 'talk ' || n, 2, at, at, 'folder ' || n % 7, array['tag ' || n % 5]
      from (select n, now() - (${uiRows}::integer - n) * interval '1 minute' as at from generate_series(1, ${uiRows}::integer) as n) as made,
        lateral (select id from workspaces order by id limit 1) as workspace`
    await db.system`
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select id, seq, gen_random_uuid(), workspace_id, id, case seq when 1 then 'user' else 'assistant' end,
        jsonb_build_object('role', 'user', 'content', repeat(md5(title), 10) || ' said in ' || title || '.')
      from conversations, generate_series(1, 2) as seq`
    await db.system`
      insert into turns (id, workspace_id, conversation_id, request_id, epoch, status, model, is_stream, prompt_tokens,
        completion_tokens, is_usage_estimated, finish_reason, time_to_first_token_ms, duration_ms, started_at)
      select id, workspace_id, id, 'req-' || title, 1, 'completed', 'bench', true, 96, 203, false, 'stop', 180, 2400, created_at
      from conversations`
    await db.system`
      insert into channels (id, workspace_id, name, adapter, config)
      select gen_random_uuid(), id, 'shop', 'generic', '{}' from workspaces order by id limit 1`
    await db.system`
      insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, status, attempts, expires_at, created_at)
      select talk.id, talk.workspace_id, channels.id, talk.id, talk.id, gen_random_uuid(), 2, 'delivered', 1,
        talk.created_at + interval '1 day', talk.created_at
      from conversations as talk, channels where channels.name = 'shop'`
  } finally {
    await db.close()
  }
  const owner = openPool(found.address, { name: 'bench', connectionsMax: 1, statementMs: 0 })
  try {
    // Past the trigger that makes a chain of them: what is asked of these is how they are found.
    await owner.unsafe(`
      alter table audit_log disable trigger user;
      insert into audit_log (id, workspace_id, actor, action, target, ip, request_id, at, seq, prev_hash, hash)
      select gen_random_uuid(), workspace.id, 'actor-' || n % 1000,
        case when n % 10000 = 77 then 'rare.event' else (array['channel.change', 'agent.change', 'key.use'])[1 + n % 3] end,
        'target-' || n, '192.0.2.1', 'req-' || n, now() - (${uiRows} - n) * interval '1 minute', 1000000 + n, '\\x00', '\\x00'
      from generate_series(1, ${uiRows}) as n, lateral (select id from workspaces order by id limit 1) as workspace;
      alter table audit_log enable trigger user`)
    // What the database would do by itself later, in the middle of the measurement.
    for (const table of ['conversations', 'messages', 'turns', 'deliveries', 'audit_log'])
      await owner.unsafe(`vacuum (freeze, analyze) ${table}`)
    await owner`checkpoint`
  } finally {
    await owner.end()
  }
}
