/** An operator's database: a table of two workspaces under row-level security, and a role that may only read it. */
import { randomBytes } from 'node:crypto'
import type { Sql as Driver } from 'postgres'
import { firstWorkspaceId, uuidOf, WorkspaceId } from '../../../../store/id.ts'
import { openPool } from '../../../../store/postgres/pool.ts'
import { dbQuery } from '../../../../tools/db-query.ts'
import type { Tool } from '../../../../tools/tool.ts'
import { asOwner, freshAddress } from '../../../support/database.ts'
import { call, toolContext, toolDependencies } from '../../files/support/call.ts'

export const mine = firstWorkspaceId
export const theirs = WorkspaceId.parse('ws_00000000000070008000000000000002')
export const secret = 'SECRET-OF-OTHERS'
export const password = 'pass-word-of-the-reader'

export interface Orders {
  role: string
  dsn: string
  owner: Driver
  tool: Tool
  lines: Record<string, unknown>[]
  /** What the model is told, or the failure. */
  query(sql: string, options?: { workspaceId?: WorkspaceId; signal?: AbortSignal }): Promise<string>
  close(): Promise<void>
}

export async function openOrders(): Promise<Orders> {
  const { address, drop } = await freshAddress({ isEmpty: true })
  const role = `reader_${randomBytes(6).toString('hex')}`
  await asOwner(`create role ${role} login password '${password}'`)
  const owner = openPool(address, { name: 'tests', connectionsMax: 1, statementMs: 0 })
  await owner.unsafe(schema(role))
  const dsn = `postgres://${role}:${password}@localhost:${address.port}/${address.database}?host=${address.host}`
  const { dependencies, lines } = toolDependencies({ SERVICE_DB_QUERY_DSN: dsn })
  const tool = dbQuery(dependencies)
  if (!tool) throw new Error('the tool is off')
  return {
    role,
    dsn,
    owner,
    tool,
    lines,
    query: (sql, options) => call(tool, toolContext(dependencies, options), { sql }),
    async close() {
      await tool.close?.()
      await owner.end({ timeout: 2 })
      await drop()
      await asOwner(`drop role ${role}`)
    },
  }
}

function schema(role: string): string {
  return `
    create table orders (id bigint primary key, workspace_id uuid not null, item text not null, price numeric not null);
    insert into orders values (1, '${uuidOf(mine)}', 'apples', 1.50), (2, '${uuidOf(mine)}', 'pears', 2.25),
      (3, '${uuidOf(theirs)}', '${secret}', 99), (4, '${uuidOf(theirs)}', '${secret} too', 98);
    alter table orders enable row level security;
    create policy workspace on orders using (workspace_id = nullif(current_setting('service.workspace_id', true), '')::uuid);
    grant select on orders to ${role};
    create sequence numbers;
    grant usage on sequence numbers to ${role};
    create table canary (touched text);
    create function touch(what text) returns text language sql volatile security definer
      as $$ insert into canary values (what) returning touched $$;
    create function touch_row(o orders) returns text language sql volatile security definer
      as $$ insert into canary values (o.item) returning touched $$;
    create function become(workspace text) returns text language sql volatile
      as $$ select set_config('service.workspace_id', workspace, true) $$;
    create function lower(workspace uuid) returns text language sql volatile
      as $$ select set_config('service.workspace_id', workspace::text, true) $$;
    create function became(a text, b text) returns boolean language sql volatile
      as $$ select set_config('service.workspace_id', b, true) is not null $$;
    create schema other;
    grant usage on schema other to ${role};
    create operator other.=== (function = became, leftarg = text, rightarg = text);`
}
