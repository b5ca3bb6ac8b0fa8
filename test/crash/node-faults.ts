/** Everything that happens to the nodes of a crash test, to their servers and to the network between them. Each fault ends when all are ready again. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../runtime/random.ts'
import type { EmbeddedServer } from '../../store/embedded/start.ts'
import { openPool } from '../../store/postgres/pool.ts'
import type { NatsServer } from '../gateway/bus/support/nats-server.ts'
import type { Faults } from './fault-deck.ts'
import type { TcpProxy } from './tcp-proxy.ts'
import type { ServiceProcess } from './under-kill.ts'

/** A process, and its ways to the others. */
export interface Node {
  process: ServiceProcess
  database: TcpProxy
  nats: TcpProxy | undefined
}

export interface Cluster {
  nodes: readonly Node[]
  database: EmbeddedServer
  nats: NatsServer | undefined
}

/** Longer than a lease: the others take what was its own, and it wakes up and does not know. */
const awayMs = 2_500
const natsAwayMs = 1_500
/** Of each piece on the way, each way. */
const databaseDelayMs = 20
const natsDelayMs = 150
const stormStrikes = 6
const stormPauseMs = 150

export function nodeFaults({ nodes, database, nats }: Cluster, random: Random): Faults {
  const any = (among: readonly Node[] = nodes) => among[Math.floor(random.next() * among.length)] as Node
  const ready = () => Promise.all(nodes.map((node) => node.process.ready()))

  async function killAndStart(...some: readonly Node[]): Promise<void> {
    await Promise.all(some.map((node) => node.process.kill()))
    await Promise.all(some.map((node) => node.process.start()))
    await ready()
  }

  async function stopAndStart(node: Node): Promise<void> {
    await node.process.end()
    await node.process.start()
  }

  async function killNats(): Promise<void> {
    await nats?.kill()
    await wait(random.next() * natsAwayMs)
    await nats?.start()
  }

  function killDatabase(): void {
    process.kill(database.pid, 'SIGKILL')
  }

  async function during(way: TcpProxy | undefined, change: (way: TcpProxy) => void): Promise<void> {
    if (way) change(way)
    await wait(awayMs)
    way?.heal()
    await ready()
  }

  const faults: Faults = {
    'node killed': () => killAndStart(any()),
    'two nodes killed': () => {
      const first = any()
      return killAndStart(first, any(nodes.filter((node) => node !== first)))
    },
    'node frozen beyond its lease': async () => {
      const { process: frozen } = any()
      frozen.signal('SIGSTOP')
      await wait(awayMs)
      frozen.signal('SIGCONT')
      await ready()
    },
    'node stopped in good order': () => stopAndStart(any()),
    'rolling restart': async () => {
      for (const node of nodes) await stopAndStart(node)
    },
    'database killed': async () => {
      killDatabase()
      await ready()
    },
    'node and database killed': () => {
      killDatabase()
      return killAndStart(any())
    },
    'storm of ended database connections': async () => {
      const driver = openPool(database.address, { name: 'crash test', connectionsMax: 1, statementMs: 5_000 })
      for (let strike = 0; strike < stormStrikes; strike++) {
        await driver`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`
        await wait(stormPauseMs)
      }
      await driver.end({ timeout: 2 })
      await ready()
    },
    'node cut off from the database': () => during(any().database, (way) => way.cut()),
    'node hears nothing of the database': () => during(any().database, (way) => way.silence()),
    'node has a slow way to the database': () => during(any().database, (way) => way.slow(databaseDelayMs)),
  }
  if (!nats) return faults
  return {
    ...faults,
    'NATS killed': killNats,
    'node, database and NATS killed': async () => {
      killDatabase()
      await Promise.all([killAndStart(any()), killNats()])
    },
    'node cut off from NATS': () => during(any().nats, (way) => way.cut()),
    'node hears nothing of NATS': () => during(any().nats, (way) => way.silence()),
    'node has a slow way to NATS': () => during(any().nats, (way) => way.slow(natsDelayMs)),
  }
}
