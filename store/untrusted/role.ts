/** What the role of a database that strangers query may do, and which of that it should not. */
import type { Sql as Driver } from 'postgres'

export interface RoleFacts {
  role: string
  isSuperuser: boolean
  bypassesSecurity: boolean
  makesRoles: boolean
  setsConfig: boolean
  /** Roles of PostgreSQL's own with reach beyond tables, that it is a member of. */
  reaches: string[]
  /** Tables each, by name. */
  owned: string[]
  written: string[]
  open: string[]
  openViews: string[]
}

/** More are counted, not named. */
const namedMax = 5

export async function readRole(driver: Driver): Promise<RoleFacts> {
  const [facts] = await driver.unsafe<RoleFacts[]>(look)
  if (!facts) throw new TypeError('a role that is logged in is not there')
  return facts
}

const look = `
  with me as (select * from pg_catalog.pg_roles where rolname = current_user),
  relations as (
    select c.oid, format('%I.%I', nspname, relname) as name, relkind, relowner, relrowsecurity, relforcerowsecurity,
      coalesce(reloptions && array['security_invoker=true', 'security_invoker=on', 'security_invoker=1', 'security_invoker=yes'],
        false) as asks_as_reader
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p', 'v', 'm', 'f') and nspname not like 'pg\\_%' and nspname <> 'information_schema'
      and has_schema_privilege(n.oid, 'usage')
  ),
  readable as (select * from relations where has_any_column_privilege(oid, 'select'))
  select current_user::text as role,
    (select rolsuper from me) as "isSuperuser",
    (select rolbypassrls from me) as "bypassesSecurity",
    (select rolcreaterole or rolcreatedb or rolreplication from me) as "makesRoles",
    has_function_privilege('pg_catalog.set_config(text,text,boolean)', 'execute') as "setsConfig",
    array(select rolname::text from pg_catalog.pg_roles where rolname in ('pg_read_server_files', 'pg_write_server_files',
      'pg_execute_server_program', 'pg_signal_backend', 'pg_read_all_data', 'pg_write_all_data', 'pg_monitor',
      'pg_read_all_settings', 'pg_read_all_stats') and pg_has_role(oid, 'usage') order by 1) as reaches,
    array(select name from relations where pg_has_role(relowner, 'usage') order by 1) as owned,
    array(select name from relations where has_any_column_privilege(oid, 'insert, update')
      or has_table_privilege(oid, 'delete, truncate') order by 1) as written,
    array(select name from readable where relkind in ('r', 'p', 'm', 'f') and not relrowsecurity order by 1) as open,
    array(select name from readable where relkind = 'v' and not asks_as_reader order by 1) as "openViews"`

/** @returns a sentence each; none: nothing is amiss */
export function roleWarnings(facts: RoleFacts): string[] {
  const who = `The role ${facts.role} of SERVICE_DB_QUERY_DSN`
  if (facts.isSuperuser) return [`${who} is a superuser, whom row-level security does not hold: db_query refuses it.`]
  const found: [isSo: boolean, sentence: string][] = [
    [facts.bypassesSecurity, `${who} has BYPASSRLS: db_query refuses it.`],
    [facts.makesRoles, `${who} may make roles or databases, or replicate.`],
    [facts.reaches.length > 0, `${who} is a member of ${facts.reaches.join(', ')}.`],
    [
      facts.owned.length > 0,
      `${who} owns ${named(facts.owned)}: row-level security holds no owner unless it is forced, and owners can change it.`,
    ],
    [facts.written.length > 0, `${who} can write to ${named(facts.written)}.`],
    [
      facts.setsConfig,
      `${who} can execute set_config: revoke execute on function set_config(text, text, boolean) from public.`,
    ],
    [facts.open.length > 0, `${who} reads all rows of ${named(facts.open)}: they have no row-level security.`],
    [
      facts.openViews.length > 0,
      `${who} reads ${named(facts.openViews)} with the rights of the views' owners: make them security_invoker.`,
    ],
  ]
  return found.filter(([isSo]) => isSo).map(([, sentence]) => sentence)
}

function named(names: readonly string[]): string {
  const more = names.length - namedMax
  return `${names.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
