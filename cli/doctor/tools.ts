/** What tools of agents stand on: the folder of files, the role of the database, the descriptions of MCP servers. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { checkQueryRole } from '../../tools/db-query.ts'
import { mcpLimits } from '../../tools/mcp/limits.ts'
import { parseServerDescriptions } from '../../tools/mcp/server-description.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'

/** More than a connection may take to come about; a database that answers takes a moment. */
const roleMs = 10_000

/** @returns nothing of tools that are off */
export async function checkTools(settings: Settings, roleWithinMs = roleMs): Promise<Finding[]> {
  return [...checkFolder(settings), ...checkServers(settings), ...(await checkRole(settings, roleWithinMs))]
}

function checkFolder(settings: Settings): Finding[] {
  const given = settings.get('SERVICE_FS_ROOT')
  if (given === '') return []
  const folder = resolve(given)
  try {
    if (statSync(folder).isDirectory()) return [ok('files of agents', `they are confined to ${folder}`)]
    return [failed('files of agents', `${folder} is no folder`, 'Let SERVICE_FS_ROOT name a folder.')]
  } catch (error) {
    const advice = 'Make the folder, or correct SERVICE_FS_ROOT: until then file tools find nothing.'
    return [failed('files of agents', `${folder} cannot be used: ${reason(error)}`, advice)]
  }
}

/** What an entry holds is never told: tokens stand in it. */
function checkServers(settings: Settings): Finding[] {
  const { servers, refused } = parseServerDescriptions(settings.get('SERVICE_MCP_SERVERS'), mcpLimits.serversMax)
  const advice = 'Correct the entry in SERVICE_MCP_SERVERS: see docs/mcp-servers.md. The others count.'
  const found = refused.map(({ name, why }) => failed('MCP servers', `${name} is left out: ${why}`, advice))
  if (servers.length > 0) found.push(ok('MCP servers', `${servers.map(({ name }) => name).join(', ')} can be read`))
  return found
}

async function checkRole(settings: Settings, withinMs: number): Promise<Finding[]> {
  const dsn = settings.get('SERVICE_DB_QUERY_DSN')
  if (dsn === '') return []
  try {
    const warnings = await within(withinMs, checkQueryRole(dsn, systemClock))
    if (warnings.length === 0)
      return [ok('db_query', 'the database answers, and its role may do no more than it should')]
    return warnings.map((words) =>
      warning('db_query', words.replace(/\.$/, ''), 'See docs/tools.md for a role that fits.'),
    )
  } catch (error) {
    return [failed('db_query', `the database cannot be looked at: ${reason(error)}`, 'Is SERVICE_DB_QUERY_DSN right?')]
  }
}

/** The work itself has bounds of its own, which are longer than an operator's patience. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
