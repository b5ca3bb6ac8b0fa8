/** A primary and its standby, of which the first is lost in each round and comes back as the standby of the other. */
import { setTimeout as wait } from 'node:timers/promises'
import { type PostgresServer, postgresServer, replicateSynchronously } from '../support/postgres-servers.ts'

export interface Pair {
  readonly primary: PostgresServer
  /** In the order in which they were made, whoever is the primary. */
  readonly names: readonly string[]
  /** The primary is lost in one of several ways, and the standby promoted. @returns how, and the moments, in ms */
  failOver(round: number): Promise<{ fault: string; lostMs: number; promotedMs: number }>
  /** The old primary is a standby again, and nothing is committed without it. */
  mend(): Promise<void>
  kill(): Promise<void>
}

/** How long an old primary takes connections and writes beside the new one. */
const splitMs = 1_500

export async function startPair(folder: string): Promise<Pair> {
  let primary = await postgresServer(folder, 'one')
  let standby = await postgresServer(folder, 'two')
  const names = [primary.name, standby.name]
  let isFrozen = false

  async function follow(): Promise<void> {
    await standby.copy(primary)
    await standby.start()
    await replicateSynchronously(primary)
  }

  const faults: [name: string, lose: (lost: PostgresServer) => Promise<void> | void][] = [
    ['primary killed', (lost) => lost.kill()],
    [
      'primary frozen, and back beside the new one',
      (lost) => {
        isFrozen = true
        lost.signal('SIGSTOP')
      },
    ],
    ['primary stopped in good order', (lost) => lost.stop()],
  ]

  await primary.create()
  await primary.start()
  await follow()
  return {
    get primary() {
      return primary
    },
    names,
    async failOver(round) {
      const [fault, lose] = faults[(round - 1) % faults.length] as (typeof faults)[number]
      const lostMs = performance.now()
      await lose(primary)
      await standby.promote()
      const promotedMs = performance.now()
      ;[primary, standby] = [standby, primary]
      return { fault, lostMs, promotedMs }
    },
    async mend() {
      if (isFrozen) {
        standby.signal('SIGCONT')
        await wait(splitMs)
        isFrozen = false
      }
      await standby.kill()
      await follow()
    },
    async kill() {
      await Promise.all([primary.kill(), standby.kill()])
    },
  }
}
