/** Does the database answer, is its schema the one this version needs, and do connections get the role they ask for? */
import { SettingRefused } from '../../config/setting.ts'
import { createLog } from '../../runtime/log/log.ts'
import { version } from '../../runtime/package.ts'
import { readToolListings, type ToolListing } from '../../store/agents.ts'
import { readChannels, type StoredChannel } from '../../store/channels.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { sqlStateOf } from '../../store/errors.ts'
import { readMigrations } from '../../store/migration-files.ts'
import { keyOfModelEndpoint, readModelEndpoints, type StoredModelEndpoint } from '../../store/model-endpoints.ts'
import { newestNode } from '../../store/nodes/nodes.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { type AppliedMigration, appliedMigrations, schemaStanding, stateOf } from '../../store/schema-state.ts'
import { readSecret } from '../../store/secrets.ts'
import { readSettings, type StoredSetting } from '../../store/settings/settings.ts'
import { listToolGrants, type ToolGrants } from '../../store/workspaces.ts'
import { type DatabaseAccess, reach } from '../connect.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'
import { existingKey } from './master-key.ts'
import type { Instance } from './running.ts'
import { checkServers } from './servers.ts'

export interface DatabaseFound {
  finding: Finding
  /** Null where they could not be read. */
  stored: Map<string, StoredSetting> | null
  /** None where they could not be read. */
  channels: StoredChannel[]
  /** Beside the one of the settings; none where they could not be read. */
  modelEndpoints: EndpointWithKey[]
  /** Which tools agents list, and which their workspaces are granted; none where they could not be read. */
  tools: { listings: ToolListing[]; grants: ToolGrants[] }
  /** The newest start that has not ended as it should. */
  instance: Instance | null
}

/** `key`: undefined where it is missing or cannot be opened. */
export interface EndpointWithKey extends StoredModelEndpoint {
  key: string | undefined
}

/** Changes nothing in an external database: migrations run at a start. */
export async function checkDatabase(environment: NodeJS.ProcessEnv): Promise<DatabaseFound> {
  let access: DatabaseAccess | undefined
  try {
    access = await reach(environment, createLog({ level: 'error' }))
    const servers = await checkServers(access.address.servers)
    if (servers.problem?.state === 'failed') return { ...unread, finding: servers.problem }
    const server = await askServer(access.address)
    const found = `PostgreSQL ${server.version}, ${access.isExternal ? 'external' : 'built in'}${servers.found}`
    const problem = await problemOf(server, found)
    if (problem && (problem.state === 'failed' || server.migrations.length === 0))
      return { ...unread, finding: problem }
    const asked = await askAsService(access.address, { found, environment })
    // What an older schema has can be looked at before the upgrade, as far as it can be read.
    const finding = problem ?? (asked.finding.state === 'ok' ? servers.problem : undefined)
    return finding ? { ...asked, finding } : asked
  } catch (error) {
    return { ...unread, finding: failed('database', reason(error), adviceOn(error, access?.isExternal)) }
  } finally {
    await access?.close()
  }
}

const unread = { stored: null, channels: [], modelEndpoints: [], tools: { listings: [], grants: [] }, instance: null }

interface Server {
  version: string
  number: number
  login: string
  migrations: AppliedMigration[]
  hasRoles: boolean
  mayMakeRoles: boolean
}

async function askServer(address: DatabaseAddress): Promise<Server> {
  const login = openPool(address, { name: 'doctor', connectionsMax: 1, statementMs: 0 })
  try {
    const [row] = await login<(Omit<Server, 'migrations'> & { hasSchema: boolean })[]>`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
        current_user as login, to_regclass('schema_migrations') is not null as "hasSchema",
        (select count(*) = 2 from pg_roles where rolname in ('service_system', 'service_tenant')) as "hasRoles",
        (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) as "mayMakeRoles"`
    if (!row) throw new Error('the server answered with nothing')
    const { hasSchema, ...server } = row
    return { ...server, migrations: hasSchema ? await appliedMigrations(login) : [] }
  } finally {
    await login.end({ timeout: 2 })
  }
}

async function problemOf(server: Server, found: string): Promise<Finding | undefined> {
  const state = stateOf(schemaStanding({ migrations: await readMigrations(), version }, server.migrations))
  if (server.number < 140_000) return failed('database', found, 'PostgreSQL 14 or later is needed.')
  if (state === 'newer') return failed('database', `${found}, its schema is of a newer version`, 'Start that version.')
  if (state === 'ready') return undefined
  if (!server.hasRoles && !server.mayMakeRoles) {
    return failed(
      'database',
      `${found}, the roles service_system and service_tenant are missing and ${server.login} may not make them`,
      `As an administrator: alter role "${server.login}" createrole`,
    )
  }
  const problem = server.migrations.length === 0 ? 'no schema yet' : 'the schema is of an older version'
  return warning('database', `${found}, ${problem}`, 'The next start of the service migrates it.')
}

/** Connects as the service does: with its roles in startup parameters, which a pooler may refuse or drop. */
async function askAsService(
  address: DatabaseAddress,
  { found, environment }: { found: string; environment: NodeJS.ProcessEnv },
): Promise<DatabaseFound> {
  const db = openDatabase(address)
  try {
    const [row] = await db.system<{ role: string }>`select current_user as role`
    const stored = await readSettings(db)
    const channels = await readChannels(db)
    const instance = await newestNode(db)
    const modelEndpoints = await endpointsWithKeys(db, environment)
    const tools = await toolsOfAgents(db)
    const read = { stored, channels, modelEndpoints, tools, instance }
    if (row?.role === 'service_system') return { finding: ok('database', `${found}, schema ready`), ...read }
    return {
      finding: failed(
        'database',
        `${found}, but connections do not get their role: a pooler drops it, and workspaces are not isolated`,
        'Set SERVICE_DATABASE_URL to PostgreSQL itself, without the pooler: see docs/database.md.',
      ),
      ...read,
    }
  } catch (error) {
    const advice = 'Is there a pooler? Set SERVICE_DATABASE_URL to PostgreSQL itself: see docs/database.md.'
    return { ...unread, finding: failed('database', `${found}, but it refuses the service: ${reason(error)}`, advice) }
  } finally {
    await db.close()
  }
}

/** Agents that are looked at; an installation has seldom more than some hundred. */
const agentsMax = 100_000

async function toolsOfAgents(db: Database): Promise<DatabaseFound['tools']> {
  const [workspaces] = await db.system<{ hasGrants: boolean }>`
    select exists (select from pg_attribute
      where attrelid = to_regclass('workspaces') and attname = 'tool_grants') as "hasGrants"`
  // An older schema has none: the upgrade grants what agents list.
  if (!workspaces?.hasGrants) return unread.tools
  return { listings: await readToolListings(db, agentsMax), grants: await listToolGrants(db) }
}

async function endpointsWithKeys(db: Database, environment: NodeJS.ProcessEnv): Promise<EndpointWithKey[]> {
  // An older schema has none.
  const [table] = await db.system<{ isThere: boolean }>`select to_regclass('model_endpoints') is not null as "isThere"`
  const stored = table?.isThere ? await readModelEndpoints(db) : []
  return await Promise.all(
    stored.map(async (endpoint) => ({ ...endpoint, key: endpoint.hasKey ? await keyOf(endpoint.name) : '' })),
  )

  async function keyOf(name: string): Promise<string | undefined> {
    try {
      return await readSecret(db, () => existingKey(environment), keyOfModelEndpoint(name))
    } catch {
      return undefined // the check of the endpoint says so
    }
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
