/** The open database: pools by purpose and role, and the two ways to act in it, for one workspace or across them. */
import { deadlines } from '../runtime/actor/deadlines.ts'
import { alone, type ProcessPlace, shareOf } from '../runtime/supervise/messages.ts'
import { type Clock, systemClock } from '../runtime/time/clock.ts'
import { uuidOf, type WorkspaceId } from './id.ts'
import type { DatabaseAddress } from './postgres/address.ts'
import { closeS, openPool } from './postgres/pool.ts'
import { boundedQuery, type Query, queryRoom, timedQuery } from './postgres/query.ts'
import { type Transactions, transactions } from './postgres/transaction.ts'

/** For gauges. Of pools for single statements what runs are statements, which share connections; of the others transactions. */
export interface PoolState {
  name: string
  connectionsMax: number
  running: number
  waiting: number
}

export interface Database {
  readonly address: DatabaseAddress
  /** Batch writers: single statements as the system role, on connections of their own. */
  readonly hot: Query
  /** The heart-beat's own connection: it waits behind nothing. */
  readonly heartbeat: Query
  /** Single statements across workspaces, as the system role. Only in the modules that a test lists. */
  readonly system: Query
  /** One statement for one workspace, as the tenant role: rows of others do not exist for it. */
  forWorkspace(workspace: WorkspaceId): Query
  /** Several statements, all or none. @throws TransactionLost, DatabaseDown */
  transaction<Result>(role: 'system' | WorkspaceId, work: (query: Query) => Promise<Result>): Promise<Result>
  /** One round trip; false when the database does not answer, or takes no writes. */
  isUp(): Promise<boolean>
  pools(): PoolState[]
  close(): Promise<void>
}

const statementMs = 30_000

/** A heart-beat that takes longer is worth nothing: the next one is tried. */
const heartbeatMs = 1_000

/** A transaction in which nothing happens for this long holds locks for nobody. */
const idleTransactionMs = 30_000

/** One statement that takes long must not hold up the others. */
const leastOf = (connections: number, place: ProcessPlace): number => Math.max(2, shareOf(connections, place))

const sizesAt = (place: ProcessPlace) => ({
  hot: leastOf(4, place),
  system: leastOf(4, place),
  systemTransactions: shareOf(2, place),
  tenantTransactions: leastOf(6, place),
})

/** @param options place: one of several processes that share the connections of one */
export function openDatabase(
  address: DatabaseAddress,
  options: { clock?: Clock; place?: ProcessPlace } = {},
): Database {
  const sizes = sizesAt(options.place ?? alone)
  const waits = deadlines(options.clock ?? systemClock)
  const hot = openPool(address, { name: 'hot', role: 'service_system', connectionsMax: sizes.hot, statementMs })
  const system = openPool(address, {
    name: 'system',
    role: 'service_system',
    connectionsMax: sizes.system,
    statementMs,
  })
  const heartbeat = openPool(address, {
    name: 'heartbeat',
    role: 'service_system',
    connectionsMax: 1,
    statementMs: heartbeatMs,
  })
  const parameters = { idle_in_transaction_session_timeout: idleTransactionMs }
  const systemTransactions = transactions(
    address,
    { name: 'system', role: 'service_system', connectionsMax: sizes.systemTransactions, statementMs, parameters },
    waits,
  )
  const tenantTransactions = transactions(
    address,
    { name: 'tenant', role: 'service_tenant', connectionsMax: sizes.tenantTransactions, statementMs, parameters },
    waits,
  )
  const hotRoom = queryRoom(sizes.hot, waits)
  const systemRoom = queryRoom(sizes.system, waits)
  /** Impatient: whoever asks whether it is up wants to know of now. */
  const look = timedQuery(system, waits, 1_000)

  function inWorkspace<Result>(workspace: WorkspaceId, work: (query: Query) => Promise<Result>): Promise<Result> {
    return tenantTransactions.run(work, { 'service.workspace_id': uuidOf(workspace) })
  }

  return {
    address,
    hot: boundedQuery(hot, hotRoom, waits),
    heartbeat: timedQuery(heartbeat, waits, heartbeatMs),
    system: boundedQuery(system, systemRoom, waits),
    forWorkspace:
      (workspace) =>
      (text, ...values) =>
        inWorkspace(workspace, (query) => query(text, ...values)),
    transaction: (role, work) => (role === 'system' ? systemTransactions.run(work) : inWorkspace(role, work)),
    async isUp() {
      try {
        const [row] = await look<{ isUp: boolean }>`select current_setting('transaction_read_only') = 'off' as "isUp"`
        return row?.isUp === true
      } catch {
        return false // whatever it is, it is not up
      }
    },
    pools: () => [
      { name: 'hot', connectionsMax: sizes.hot, running: hotRoom.taken, waiting: hotRoom.waiting },
      { name: 'system', connectionsMax: sizes.system, running: systemRoom.taken, waiting: systemRoom.waiting },
      transactionState('system_transactions', sizes.systemTransactions, systemTransactions),
      transactionState('tenant_transactions', sizes.tenantTransactions, tenantTransactions),
    ],
    async close() {
      await Promise.all([
        hot.end({ timeout: closeS }),
        system.end({ timeout: closeS }),
        heartbeat.end({ timeout: closeS }),
        systemTransactions.close(),
        tenantTransactions.close(),
      ])
    },
  }
}

function transactionState(name: string, connectionsMax: number, { running, waiting }: Transactions): PoolState {
  return { name, connectionsMax, running, waiting }
}
