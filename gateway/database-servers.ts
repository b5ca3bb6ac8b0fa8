/** Says which server of the database is written to, which refuse writes, and how far standbys are behind: in the log and in gauges. */
import type { Log } from '../runtime/log/log.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import { lagBytesMax, type Servers } from '../store/postgres/address.ts'
import { describe } from '../store/postgres/servers.ts'

/** A busy server may miss one look. */
const missedLooksMax = 2

export function watchServers({ servers, log, metrics }: { servers: Servers; log: Log; metrics: Metrics }): void {
  let written: string | undefined
  let missed = 0
  let refused = ''
  let lagging = ''

  function look(): void {
    const { states } = servers
    const chosen = states.find(({ name }) => name === servers.chosen)
    missed = chosen?.role === 'primary' ? 0 : missed + 1
    if (chosen?.role === 'primary' && chosen.name !== written) {
      written = chosen.name
      log.info({ server: written, servers: describe(states) }, 'the database is written to at this server')
    } else if (missed === missedLooksMax) {
      written = undefined
      log.error(
        { servers: describe(states) },
        'no server of the database takes writes: start the primary, or promote a standby',
      )
    }
    const refusedNow = names(states.filter(({ role }) => role === 'refused'))
    if (refusedNow !== '' && refusedNow !== refused)
      log.error(
        { servers: refusedNow },
        'an old primary, or another database, takes writes and is not used: stop it, and make a standby of it',
      )
    refused = refusedNow
    const laggingNow = names(states.filter(({ lagBytes }) => (lagBytes ?? 0) > lagBytesMax))
    if (laggingNow !== lagging) {
      if (laggingNow === '') log.info('standbys of the database have caught up')
      else
        log.warn(
          { servers: describe(states) },
          'standbys of the database are far behind: if one is promoted now, what it lacks is lost',
        )
    }
    lagging = laggingNow
  }

  servers.onLook(look)
  if (servers.states.length > 0) look()
  metrics.onScrape('service_database_server', (gauge) => {
    gauge.reset()
    for (const { name: server, role } of servers.states) gauge.set({ server, role }, 1)
  })
  metrics.onScrape('service_database_standby_lag_bytes', (gauge) => {
    gauge.reset()
    for (const { name: server, lagBytes } of servers.states) if (lagBytes !== null) gauge.set({ server }, lagBytes)
  })
}

const names = (states: readonly { name: string }[]): string => states.map(({ name }) => name).join(', ')
