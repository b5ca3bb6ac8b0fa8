/** The open database: pools by purpose and role, and the two ways to act in it, for one workspace or across them. */
import { deadlines } from '../runtime/actor/deadlines.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import type { DatabaseAddress } from './address.ts'
import { storeError } from './errors.ts'
import { uuidOf, type WorkspaceId } from './id.ts'
import { openPool } from './pool.ts'
import { boundedQuery, type Query } from './sql.ts'
import { type Transactions, transactions } from './transaction.ts'

export interface Database {
  readonly address: DatabaseAddress
  /** Batch writers: single statements as the system role, on connections of their own. */
  readonly hot: Query
  /** Single statements across workspaces, as the system role. Only in the modules that a test lists. */
  readonly system: Query
  /** One statement for one workspace, as the tenant role: rows of others do not exist for it. */
  within(workspace: WorkspaceId): Query
  /** Several statements, all or none. @throws TransactionLost, DatabaseDown */
  transaction<Result>(role: 'system' | WorkspaceId, work: (query: Query) => Promise<Result>): Promise<Result>
  /** One round trip; false when the database does not answer. */
  isUp(): Promise<boolean>
  /** Connections by pool, for gauges. */
  pools(): { name: string; connectionsMax: number }[]
  close(): Promise<void>
}

const statementMs = 30_000

const sizes = { hot: 4, system: 6, tenant: 6 }

export function openDatabase(address: DatabaseAddress, options: { clock?: Clock } = {}): Database {
  const waits = deadlines(options.clock ?? systemClock)
  const hot = openPool(address, { name: 'hot', role: 'service_system', connectionsMax: sizes.hot, statementMs })
  const system = openPool(address, {
    name: 'system',
    role: 'service_system',
    connectionsMax: sizes.system,
    statementMs,
    onLost: () => systemTransactions.lost(),
  })
  const tenant = openPool(address, {
    name: 'tenant',
    role: 'service_tenant',
    connectionsMax: sizes.tenant,
    statementMs,
    onLost: () => tenantTransactions.lost(),
  })
  const systemTransactions: Transactions = transactions(() => system, waits)
  const tenantTransactions: Transactions = transactions(() => tenant, waits)
  const systemQuery = boundedQuery(system, waits)

  function inWorkspace<Result>(workspace: WorkspaceId, work: (query: Query) => Promise<Result>): Promise<Result> {
    return tenantTransactions.run(async (query) => {
      // Not awaited: it travels with the statement behind it, and a failure fails that one too.
      const setting = query`select set_config('service.workspace_id', ${uuidOf(workspace)}, true)`
      const [result] = await Promise.all([work(query), setting])
      return result
    })
  }

  return {
    address,
    hot: boundedQuery(hot, waits),
    system: systemQuery,
    within:
      (workspace) =>
      (text, ...values) =>
        inWorkspace(workspace, (query) => query(text, ...values)),
    transaction: (role, work) => (role === 'system' ? systemTransactions.run(work) : inWorkspace(role, work)),
    async isUp() {
      try {
        await systemQuery`select 1 as up`
        return true
      } catch (error) {
        if (storeError(error) instanceof Error) return false
        throw error
      }
    },
    pools: () => Object.entries(sizes).map(([name, connectionsMax]) => ({ name, connectionsMax })),
    async close() {
      await Promise.all([hot, system, tenant].map((pool) => pool.end({ timeout: 5 })))
    },
  }
}
