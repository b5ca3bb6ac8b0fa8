/** Which server of the database takes writes, and what is amiss with the others. */
import { lagBytesMax, type Servers } from '../../store/postgres/address.ts'
import { describe } from '../../store/postgres/servers.ts'
import { type Finding, failed, warning } from './finding.ts'

/** @returns found: what to add to the line of a database that is well */
export async function checkServers(servers: Servers | undefined): Promise<{ found: string; problem?: Finding }> {
  if (!servers) return { found: '' }
  const states = await servers.look()
  const all = describe(states)
  const found = `; ${all}`
  // None answers: the error of a connection says more.
  if (states.every(({ role }) => role === 'unreachable')) return { found }
  if (servers.chosen === undefined || states.find(({ name }) => name === servers.chosen)?.role === 'unreachable') {
    const advice = 'Start the primary, or promote a standby: see docs/failover.md.'
    return { found, problem: failed('database', `no server takes writes: ${all}`, advice) }
  }
  if (states.some(({ role }) => role === 'refused')) {
    const advice = 'Stop the old one and make a standby of it: see docs/failover.md.'
    return { found, problem: warning('database', `more than one server takes writes: ${all}`, advice) }
  }
  const isAmiss = states.some(({ role, lagBytes }) => role === 'unreachable' || (lagBytes ?? 0) > lagBytesMax)
  const advice = 'Promote none that is behind; look at the log of that server: see docs/failover.md.'
  return isAmiss ? { found, problem: warning('database', `a standby is away or behind: ${all}`, advice) } : { found }
}
