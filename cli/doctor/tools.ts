/** What agents' tools depend on: the folder of files, the role of the database, the descriptions of MCP servers. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Settings } from '../../config/settings.ts'
import { atMost } from '../../runtime/time/at-most.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { checkQueryRole } from '../../tools/db-query.ts'
import { mcpLimits } from '../../tools/mcp/limits.ts'
import { parseServerDescriptions } from '../../tools/mcp/server-description.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'

/** Longer than connecting may take; a healthy database answers in a moment. */
const roleMs = 10_000

/** Tools that are off have no findings. */
export async function checkTools(settings: Settings, roleWithinMs = roleMs): Promise<Finding[]> {
  return [...checkFolder(settings), ...checkServers(settings), ...(await checkRole(settings, roleWithinMs))]
}

function checkFolder(settings: Settings): Finding[] {
  const root = settings.get('SERVICE_FS_ROOT')
  if (root === '') return []
  const folder = resolve(root)
  try {
    if (statSync(folder).isDirectory()) return [ok('files of agents', `they are confined to ${folder}`)]
    return [failed('files of agents', `${folder} is not a folder`, 'Set SERVICE_FS_ROOT to a folder.')]
  } catch (error) {
    const advice = 'Create the folder or correct SERVICE_FS_ROOT: until then file tools find nothing.'
    return [failed('files of agents', `${folder} cannot be used: ${reason(error)}`, advice)]
  }
}

/** The content of an entry is not shown, as it may contain tokens. */
function checkServers(settings: Settings): Finding[] {
  const { servers, refused } = parseServerDescriptions(settings.get('SERVICE_MCP_SERVERS'), mcpLimits.serversMax)
  const advice = 'Correct the entry in SERVICE_MCP_SERVERS: see docs/mcp-servers.md. The others are used.'
  const found = refused.map(({ name, why }) => failed('MCP servers', `${name} is left out: ${why}`, advice))
  if (servers.length > 0) found.push(ok('MCP servers', `${servers.map(({ name }) => name).join(', ')} can be read`))
  return found
}

async function checkRole(settings: Settings, withinMs: number): Promise<Finding[]> {
  const dsn = settings.get('SERVICE_DB_QUERY_DSN')
  if (dsn === '') return []
  // The check itself has longer bounds.
  const onLate = (): never => {
    throw new Error(`no answer within ${withinMs / 1_000} s`)
  }
  try {
    const warnings = await atMost(withinMs, checkQueryRole(dsn, systemClock), { clock: systemClock, onLate })
    if (warnings.length === 0)
      return [ok('db_query', 'the database answers, and its role may do no more than it should')]
    return warnings.map((text) =>
      warning('db_query', text.replace(/\.$/, ''), 'See docs/tools.md for a suitable role.'),
    )
  } catch (error) {
    return [failed('db_query', `the database cannot be checked: ${reason(error)}`, 'Is SERVICE_DB_QUERY_DSN right?')]
  }
}
