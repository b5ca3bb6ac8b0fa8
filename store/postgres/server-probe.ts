/** Asks one server of a list who it is, over a connection that is kept, in bounded time. */
import type { Sql as Driver } from 'postgres'
import { openPool } from './pool.ts'

export interface ServerAnswer {
  /** The same for all copies of one cluster; null: the server does not tell. */
  cluster: string | null
  timeline: number | null
  isStandby: boolean
  isReadOnly: boolean
  /** Written, or taken over: a position in bytes; null: the server does not tell. */
  position: bigint | null
}

export interface ServerProbe {
  /** @returns undefined: it did not answer in time, or refused */
  ask(): Promise<ServerAnswer | undefined>
  close(): Promise<void>
}

const answerMs = 1_500

type Row = Omit<ServerAnswer, 'position'> & { position: string | null }

export function serverProbe(url: string): ServerProbe {
  const open = (): Driver =>
    openPool({ url }, { name: 'servers', connectionsMax: 1, statementMs: answerMs, isAlwaysOpen: true })
  let driver = open()

  /** Some hosted servers refuse to tell more than their role. */
  async function answerOf(asked: Driver): Promise<Row | undefined> {
    const [row] = await asked<Row[]>`
      select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly",
        (select system_identifier::text from pg_control_system()) as cluster,
        case when not pg_is_in_recovery()
          then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
        case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end::text as position`.catch(
      () => asked<Row[]>`
          select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'on' as "isReadOnly",
            null::text as cluster, null::int as timeline, null::text as position`,
    )
    return row
  }

  return {
    async ask() {
      const asked = driver
      const late = Promise.withResolvers<undefined>()
      const timer = setTimeout(() => late.resolve(undefined), answerMs)
      const answer = answerOf(asked).catch(() => undefined)
      const row = await Promise.race([answer, late.promise])
      clearTimeout(timer)
      if (!row && driver === asked) {
        driver = open()
        void asked.end({ timeout: 0 })
      }
      return row && { ...row, position: row.position === null ? null : bytesOf(row.position) }
    },
    async close() {
      await driver.end({ timeout: 0 })
    },
  }
}

/** A position in the log of writes: `16/B374D848`. */
function bytesOf(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
