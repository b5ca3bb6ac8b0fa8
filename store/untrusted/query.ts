/**
 * Runs a SELECT that a stranger wrote, in a database of the operator's, for one workspace. What it may say is decided
 * before (tools/database); here is what holds whatever it says:
 *
 * - Connections of its own, two, and nothing left on them: every call is rolled back and followed by `discard all`.
 * - The text is sent as part of `declare … cursor for select … from (text)`, by the extended protocol. That takes one
 *   statement, takes nothing but a SELECT, and fails outside of a transaction: on a connection that was lost and opened
 *   anew in the middle, nothing of it runs.
 * - The transaction is read only, and its statements and waits for locks are bounded.
 * - The workspace is `service.workspace_id`, as in the service's own tables, set for the transaction by `set local`.
 *   Policies of the operator's tables compare with `current_setting('service.workspace_id')`. Setting it anew takes
 *   `set`, which is no SELECT, or `set_config`, which may not be named, and which the role need not be able to execute.
 * - A role that row-level security does not hold for is refused at every call.
 * - Rows come as JSON made by the server, which keeps to itself what is too long for the answer.
 */

import postgres, { type Sql as Driver } from 'postgres'
import { type Deadline, deadlines } from '../../runtime/actor/deadlines.ts'
import { Failure } from '../../runtime/failure.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { DatabaseDown, storeError } from '../errors.ts'
import { uuidOf, WorkspaceId } from '../id.ts'
import type { DatabaseAddress } from '../postgres/address.ts'
import { openPool } from '../postgres/pool.ts'
import { waitingRoom } from '../postgres/waiting-room.ts'
import { readRole, roleWarnings } from './role.ts'

export const rowsMax = 200
export const rowsBytesMax = 65_536
export const statementMs = 10_000

const lockMs = 2_000
const connectionsMax = 2
const room = { waitMs: 5_000, waitingMax: 50 }
const beginMs = 6_000
/** Three statements may take their time, and the way there; what is longer under way hangs. */
const hangMs = 40_000

export interface UntrustedQuery {
  /** One SELECT. */
  text: string
  /** Names in it that may be calls of functions in disguise: `x.f` for f(x). */
  dotted: readonly string[]
  /** Functions it calls by their bare name. */
  called: readonly string[]
  /** Functions of pg_catalog that may be called. */
  harmless: readonly string[]
}

export interface UntrustedRows {
  /** A JSON object each. */
  lines: string[]
  /** Why there are more than these. */
  cutBy?: 'rows' | 'bytes'
}

export interface UntrustedQueries {
  /** @throws QueryFailed, QueryRefused, DatabaseDown, the signal's reason (what runs then ends by its timeout) */
  run(workspace: WorkspaceId, query: UntrustedQuery, signal: AbortSignal): Promise<UntrustedRows>
  /** What the role of the address may do that it should not, a sentence each. @throws DatabaseDown */
  checkRole(): Promise<string[]>
  close(): Promise<void>
}

/** PostgreSQL's own words on the text. */
export class QueryFailed extends Failure {
  readonly code = 'query_failed'
  readonly sqlState: string
  /** In the text, from 1. */
  readonly character: number | undefined
  constructor(code: string, message: string, character?: number) {
    super(message)
    this.sqlState = code
    this.character = character
  }
}

export class QueryRefused extends Failure {
  readonly code: 'refused_role' | 'refused_query'
  constructor(code: 'refused_role' | 'refused_query', message: string) {
    super(message)
    this.code = code
  }
}

interface Slot {
  driver: Driver
}

export function untrustedQueries(address: DatabaseAddress, clock: Clock): UntrustedQueries {
  const { onConnection, close } = connections(address, clock)
  return {
    run: (workspace, query, signal) => onConnection(beginning(workspace), (driver) => runQuery(driver, query), signal),
    async checkRole() {
      const read = (driver: Driver) => send(() => readRole(driver))
      return roleWarnings(await onConnection('begin read only', read, AbortSignal.timeout(hangMs)))
    },
    close,
  }
}

function connections(address: DatabaseAddress, clock: Clock) {
  const waits = deadlines(clock)
  const open = () => openPool(address, { name: 'db_query', connectionsMax: 1, statementMs })
  const slots = Array.from({ length: connectionsMax }, (): Slot => ({ driver: open() }))
  const places = waitingRoom(slots, room, waits)
  let isClosed = false

  function renew(slot: Slot, driver: Driver): void {
    if (slot.driver !== driver) return
    void driver.end({ timeout: 0 })
    if (!isClosed) slot.driver = open()
  }

  async function tidy(slot: Slot, driver: Driver, failure?: unknown): Promise<void> {
    if (failure instanceof DatabaseDown) return renew(slot, driver)
    try {
      await driver.unsafe('rollback')
      await driver.unsafe('discard all')
    } catch {
      renew(slot, driver) // whatever is left on it goes with it
    }
  }

  /** The answer does not wait until the connection is tidied; the next call on it does. */
  async function onConnection<Result>(
    begin: string,
    work: (driver: Driver) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    signal.throwIfAborted()
    const slot = await places.enter()
    const { driver } = slot
    const hang: Deadline = { expire: () => renew(slot, driver) }
    async function begun(): Promise<Result> {
      signal.throwIfAborted()
      // The driver tries for ever, and without a pause, where a server closes connections before they are ready.
      waits.add(hang, beginMs)
      await send(() => driver.unsafe(begin))
      waits.remove(hang)
      waits.add(hang, hangMs)
      return await work(driver)
    }
    const working = begun()
    void working
      .then(
        () => tidy(slot, driver),
        (error: unknown) => tidy(slot, driver, error),
      )
      .finally(() => {
        waits.remove(hang)
        places.leave(slot)
      })
    return await unlessAborted(working, signal)
  }

  async function close(): Promise<void> {
    isClosed = true
    await Promise.all(slots.map(({ driver }) => driver.end({ timeout: 2 })))
  }
  return { onConnection, close }
}

async function unlessAborted<Result>(working: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([working, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function runQuery(driver: Driver, query: UntrustedQuery): Promise<UntrustedRows> {
  await refuseRoleAndCalls(driver, query)
  // Without { simple: false } the driver would speak the simple protocol, which takes several statements.
  const extended = { simple: false } as { prepare?: boolean }
  await send(() => driver.unsafe(`${before}${query.text}${behind}`, [], extended), query.text)
  const rows = await send(() => driver.unsafe<Row[]>(`fetch ${rowsMax + 1} from answer`))
  return fitting(rows)
}

/** The simple protocol, which takes no parameters: so nothing goes in that is not parsed as an identifier. */
function beginning(workspace: WorkspaceId): string {
  return `begin read only;
    set local service.workspace_id = '${uuidOf(WorkspaceId.parse(workspace))}';
    set local statement_timeout = ${statementMs};
    set local lock_timeout = ${lockMs};
    set local idle_in_transaction_session_timeout = ${hangMs};
    set local row_security = on;
    set local standard_conforming_strings = on`
}

interface Row {
  /** Null: too long. */
  line: string | null
}

const before = `declare answer no scroll cursor for
  select case when pg_catalog.octet_length(line) <= ${rowsBytesMax} then line end as line
  from (select pg_catalog.row_to_json(answer)::pg_catalog.text as line from (\n`
/** On a line of its own: the text may end in a comment. `offset 0` keeps the JSON from being made twice. */
const behind = '\n) as answer offset 0) as lines'

function fitting(rows: readonly Row[]): UntrustedRows {
  const lines: string[] = []
  let bytes = 0
  for (const { line } of rows) {
    if (lines.length === rowsMax) return { lines, cutBy: 'rows' }
    bytes += line === null ? rowsBytesMax + 1 : Buffer.byteLength(line) + 1
    if (line === null || bytes > rowsBytesMax) return { lines, cutBy: 'bytes' }
    lines.push(line)
  }
  return { lines }
}

async function refuseRoleAndCalls(driver: Driver, { dotted, called, harmless }: UntrustedQuery): Promise<void> {
  const names = [dotted, harmless, called].map((list) => [...list])
  const [found] = await send(() => driver.unsafe<{ seesAll: boolean; calls: string[] }[]>(look, names))
  if (!found || found.seesAll) {
    const words = 'the role of this database is not held by row-level security, and an operator has to change that'
    throw new QueryRefused('refused_role', words)
  }
  if (found.calls.length === 0) return
  const advice = 'name a column without what is before the dot, and a function with pg_catalog before it'
  throw new QueryRefused(
    'refused_query',
    `this may call functions of this database: ${found.calls.join(', ')}; ${advice}`,
  )
}

/**
 * Functions that may be called in disguise, and are of pg_catalog without being harmless, or of elsewhere and may have
 * effects; and functions of elsewhere that hide behind the name of a harmless one.
 */
const look = `
  with visible as (
    select proname::text as name, pronamespace = 'pg_catalog'::regnamespace as is_system,
      provolatile = 'v' or prosecdef as has_effects, pronargs >= 1 and pronargs - pronargdefaults <= 1 as takes_one
    from pg_catalog.pg_proc
    where proname = any(($1::text[] || $3::text[])::name[]) and pg_catalog.pg_function_is_visible(oid)
  )
  select (select rolsuper or rolbypassrls from pg_catalog.pg_roles where rolname = current_user) as "seesAll",
    array(
      select distinct name from visible
      where not is_system and has_effects and (name = any($3::text[]) or takes_one)
        or is_system and takes_one and name = any($1::text[]) and name <> all($2::text[])
          and (has_effects or name like 'pg\\_%' or name = 'current_setting')
    ) as calls`

/** States in which it is the server or the login that fails, not the text. */
const awayStates = /^(08|28|3D|53|57P)/

/** @param text where what is sent holds it, to say where in it the server stopped */
async function send<Result>(make: () => PromiseLike<Result>, text?: string): Promise<Result> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw storeError(error)
    if (awayStates.test(error.code)) throw new DatabaseDown(error.code, error)
    const character = Number(error.position) - [...before].length
    const isInText = text !== undefined && character >= 1 && character <= [...text].length + 1
    throw new QueryFailed(error.code, error.message, isInText ? character : undefined)
  }
}
