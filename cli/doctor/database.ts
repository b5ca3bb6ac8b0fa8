/** Does the database answer, is its schema the one this version needs, and do connections get the role they ask for? */
import { SettingRefused } from '../../config/setting.ts'
import { createLog } from '../../runtime/log/log.ts'
import { openDatabase } from '../../store/database.ts'
import { sqlStateOf } from '../../store/errors.ts'
import { readMigrations } from '../../store/migrate.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { readSettings, type StoredSetting } from '../../store/settings/settings.ts'
import { type DatabaseAccess, reach } from '../connect.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'

export interface DatabaseFound {
  finding: Finding
  /** Null where they could not be read. */
  stored: Map<string, StoredSetting> | null
}

/** Changes nothing in an external database: migrations run at a start. */
export async function checkDatabase(environment: NodeJS.ProcessEnv): Promise<DatabaseFound> {
  let access: DatabaseAccess | undefined
  try {
    access = await reach(environment, createLog({ level: 'error' }))
    const server = await askServer(access.address)
    const found = `PostgreSQL ${server.version}, ${access.isExternal ? 'external' : 'built in'}`
    const problem = await problemOf(server, found)
    if (problem) return { finding: problem, stored: null }
    return await askAsService(access.address, found)
  } catch (error) {
    return { finding: failed('database', reason(error), adviceOn(error, access?.isExternal)), stored: null }
  } finally {
    await access?.close()
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
  return warning('database', `${found}, ${state}`, 'The next start of the service migrates it.')
}

/** Connects as the service does: with its roles in startup parameters, which a pooler may refuse or drop. */
async function askAsService(address: DatabaseAddress, found: string): Promise<DatabaseFound> {
  const db = openDatabase(address)
  try {
    const [row] = await db.system<{ role: string }>`select current_user as role`
    const stored = await readSettings(db)
    if (row?.role === 'service_system') return { finding: ok('database', `${found}, schema ready`), stored }
    return {
      finding: failed(
        'database',
        `${found}, but connections do not get their role: a pooler drops it, and workspaces are not isolated`,
        'Set SERVICE_DATABASE_URL to PostgreSQL itself, without the pooler: see docs/database.md.',
      ),
      stored,
    }
  } catch (error) {
    const advice = 'Is there a pooler? Set SERVICE_DATABASE_URL to PostgreSQL itself: see docs/database.md.'
    return {
      finding: failed('database', `${found}, but it refuses the service: ${reason(error)}`, advice),
      stored: null,
    }
  } finally {
    await db.close()
  }
}

function adviceOn(error: unknown, isExternal = process.env['SERVICE_DATABASE_URL'] !== undefined): string {
  if (error instanceof SettingRefused) return 'Its format is postgres://user:password@host:5432/database.'
  if (!isExternal) return 'The log of the service has more.'
  const state = sqlStateOf(error) ?? ''
  if (state.startsWith('28')) return 'Correct user and password in SERVICE_DATABASE_URL.'
  if (state === '3D000') return 'Make that database, or correct its name in SERVICE_DATABASE_URL.'
  return 'Is the server of SERVICE_DATABASE_URL running, and does it take connections from here?'
}
