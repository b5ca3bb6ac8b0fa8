/** Does the database answer, is its schema what this version needs, and do connections come as they are asked for? */
import { SettingRefused } from '../../config/setting.ts'
import { createLog } from '../../runtime/log/log.ts'
import { openDatabase } from '../../store/database.ts'
import { sqlStateOf } from '../../store/errors.ts'
import { readMigrations } from '../../store/migrate.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { readSettings, type StoredSetting } from '../../store/settings/settings.ts'
import { type Reached, reach } from '../connect.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'

export interface DatabaseFound {
  finding: Finding
  /** Null where they could not be read. */
  stored: Map<string, StoredSetting> | null
}

/** Looks, and changes nothing in an external database: migrating is for the start. */
export async function checkDatabase(environment: NodeJS.ProcessEnv): Promise<DatabaseFound> {
  let reached: Reached | undefined
  try {
    reached = await reach(environment, createLog({ level: 'error' }))
    const server = await askServer(reached.address)
    const found = `PostgreSQL ${server.version}, ${reached.isExternal ? 'external' : 'built in'}`
    const problem = await problemOf(server, found)
    if (problem) return { finding: problem, stored: null }
    return await askAsService(reached.address, found)
  } catch (error) {
    return { finding: failed('database', reason(error), adviceOn(error, reached?.isExternal)), stored: null }
  } finally {
    await reached?.close()
  }
}

interface Server {
  version: string
  number: number
  login: string
  /** The newest migration; 0: none. */
  schema: number
  hasRoles: boolean
  mayMakeRoles: boolean
}

async function askServer(address: DatabaseAddress): Promise<Server> {
  const login = openPool(address, { name: 'doctor', connectionsMax: 1, statementMs: 0 })
  try {
    const [row] = await login<(Omit<Server, 'schema'> & { hasSchema: boolean })[]>`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
        current_user as login, to_regclass('schema_migrations') is not null as "hasSchema",
        (select count(*) = 2 from pg_roles where rolname in ('service_system', 'service_tenant')) as "hasRoles",
        (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) as "mayMakeRoles"`
    if (!row) throw new Error('the server answered with nothing')
    const { hasSchema, ...server } = row
    const [newest] = hasSchema
      ? await login<{ schema: number }[]>`select coalesce(max(number), 0)::int as schema from schema_migrations`
      : []
    return { ...server, schema: newest?.schema ?? 0 }
  } finally {
    await login.end({ timeout: 2 })
  }
}

async function problemOf(server: Server, found: string): Promise<Finding | undefined> {
  const needed = (await readMigrations()).at(-1)?.number ?? 0
  if (server.number < 140_000) return failed('database', found, 'PostgreSQL 14 or later is needed.')
  if (server.schema > needed)
    return failed('database', `${found}, its schema is of a newer version`, 'Start that version.')
  if (server.schema === needed) return undefined
  if (!server.hasRoles && !server.mayMakeRoles) {
    return failed(
      'database',
      `${found}, the roles service_system and service_tenant are missing and ${server.login} may not make them`,
      `As an administrator: alter role "${server.login}" createrole`,
    )
  }
  const state = server.schema === 0 ? 'no schema yet' : 'the schema is of an older version'
  return warning('database', `${found}, ${state}`, 'The next service start makes it what this version needs.')
}

/** As the service connects: under its roles, by startup parameters that a pooler may refuse or leave out. */
async function askAsService(address: DatabaseAddress, found: string): Promise<DatabaseFound> {
  const db = openDatabase(address)
  try {
    const [row] = await db.system<{ role: string }>`select current_user as role`
    const stored = await readSettings(db)
    if (row?.role === 'service_system') return { finding: ok('database', `${found}, schema ready`), stored }
    return {
      finding: failed(
        'database',
        `${found}, but connections come without their role: a pooler leaves it out, and workspaces are not kept apart`,
        'Let SERVICE_DATABASE_URL name PostgreSQL itself, without the pooler: see docs/database.md.',
      ),
      stored,
    }
  } catch (error) {
    const advice = 'Is there a pooler between? Name PostgreSQL itself in SERVICE_DATABASE_URL: see docs/database.md.'
    return { finding: failed('database', `${found}, but not for the service: ${reason(error)}`, advice), stored: null }
  } finally {
    await db.close()
  }
}

function adviceOn(error: unknown, isExternal = process.env['SERVICE_DATABASE_URL'] !== undefined): string {
  if (error instanceof SettingRefused) return 'Its form is postgres://user:password@host:5432/database.'
  if (!isExternal) return 'The message says what hinders it; the log of the service says more.'
  const state = sqlStateOf(error) ?? ''
  if (state.startsWith('28')) return 'Correct user and password in SERVICE_DATABASE_URL.'
  if (state === '3D000') return 'Make that database, or correct its name in SERVICE_DATABASE_URL.'
  return 'Is the server of SERVICE_DATABASE_URL running, and does it take connections from here?'
}
