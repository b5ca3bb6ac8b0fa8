/** The tool `db_query`: one SELECT in the operator's database, limited to the rows of the acting workspace. */
import { z } from 'zod'
import { parseDatabaseUrl } from '../config/database-url.ts'
import { SettingRefused } from '../config/setting.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { DatabaseDown } from '../store/errors.ts'
import type { DatabaseAddress } from '../store/postgres/address.ts'
import { addressOf } from '../store/postgres/parse-address.ts'
import {
  QueryFailed,
  QueryRefused,
  rowsBytesMax,
  rowsMax,
  statementMs,
  type UntrustedRows,
  untrustedQueries,
} from '../store/untrusted/query.ts'
import { harmlessFunctions } from './database/harmless.ts'
import { checkQuery, queryCharactersMax } from './database/policy.ts'
import { defineTool, type Tool, type ToolContext, type ToolDependencies, ToolFailed } from './tool.ts'

const Arguments = z.strictObject({
  sql: z.string().min(1).max(queryCharactersMax).describe('One SELECT statement for PostgreSQL.'),
})

const allowedFunctions = [...harmlessFunctions]

/** @throws SettingRefused */
export function dbQuery(dependencies: ToolDependencies): Tool | undefined {
  const dsn = dependencies.settings.get('SERVICE_DB_QUERY_DSN')
  if (dsn === '') return undefined
  const queries = untrustedQueries(queryAddress(dsn), dependencies.clock)
  queries.checkRole().then(
    (warnings) => {
      if (warnings.length > 0)
        dependencies.log.warn({ warnings }, 'the role of db_query has more rights than it should')
    },
    (error: unknown) => dependencies.log.warn({ reason: reasonOf(error) }, 'the role of db_query could not be checked'),
  )
  return defineTool({
    name: 'db_query',
    description: `Reads from a PostgreSQL database by one SELECT. The tables are named in information_schema.tables. At most ${rowsMax} rows and ${rowsBytesMax} bytes come back: aggregate, filter and limit in the query.`,
    arguments: Arguments,
    risk: 'read',
    idempotency: 'repeatable',
    timeoutMs: 30_000,
    needsGrant: true,
    isUntrusted: true,
    async run(context, { sql }) {
      const checked = await checkQuery(sql)
      try {
        return rowsText(
          await queries.run(context.workspaceId, { ...checked, harmless: allowedFunctions }, context.signal),
        )
      } catch (error) {
        throw queryFailure(error, context)
      }
    },
    close: () => queries.close(),
  })
}

/** For the doctor. @throws SettingRefused, DatabaseDown */
export async function checkQueryRole(dsn: string, clock: Clock): Promise<string[]> {
  const queries = untrustedQueries(queryAddress(dsn), clock)
  try {
    return await queries.checkRole()
  } finally {
    await queries.close()
  }
}

/** The error does not quote the address: it contains a password. */
function queryAddress(dsn: string): DatabaseAddress {
  const allowed = 'an address such as postgres://user:password@host:5432/database'
  if (!parseDatabaseUrl(dsn)) throw new SettingRefused('SERVICE_DB_QUERY_DSN', allowed)
  return addressOf(dsn, 'any')
}

/** One row a line. The summary comes first, where no row can fake it. */
function rowsText({ lines, cutBy }: UntrustedRows): string {
  if (lines.length === 0 && cutBy === undefined) return 'No rows.'
  const count = lines.length === 1 ? '1 row' : `${lines.length} rows`
  const rest = {
    rows: `The first ${count}; there are more.`,
    bytes: `The first ${count}; the next does not fit into ${rowsBytesMax} bytes. Choose fewer columns, or cut them with left().`,
  }
  return `${cutBy === undefined ? `${count}.` : rest[cutBy]}\n\n${lines.join('\n')}`
}

function queryFailure(error: unknown, { log }: ToolContext): unknown {
  if (error instanceof QueryRefused) return new ToolFailed(error.code, `This query is refused: ${error.message}.`)
  if (error instanceof QueryFailed) {
    const words = error.sqlState === '57014' ? `it took longer than ${statementMs / 1_000} s` : error.message
    const place = error.character === undefined ? '' : `, at character ${error.character}`
    return new ToolFailed('query_failed', `The query failed: ${words}${place} (${error.sqlState}).`)
  }
  if (error instanceof DatabaseDown) {
    log.warn({ reason: reasonOf(error) }, 'the database of db_query cannot be used')
    return new ToolFailed('database_down', 'The database cannot be used at the moment.')
  }
  return error
}

/** Only the message: its cause may name the login. */
function reasonOf(error: unknown): string {
  return error instanceof DatabaseDown || error instanceof QueryFailed ? error.message : 'unexpected'
}
