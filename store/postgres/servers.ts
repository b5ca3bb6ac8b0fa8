/**
 * Several servers of one database: who is what, and connections to the one that is wanted. The driver (3.4.9) has lists of
 * hosts too, but tries for ever and without a pause where none is reachable, takes a standby for a server that writes, and
 * stays on a connection whose server does not answer any more.
 */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServerPlace, ServerTarget } from '../../config/database-url.ts'
import type { ServerRole, ServerState, Servers } from './address.ts'
import { type ServerAnswer, type ServerProbe, serverProbe } from './server-probe.ts'
import { connectTo, failedConnection } from './socket.ts'

/** Between two looks while connections are open. */
const lookMs = 500
const waitingLookMs = 100
/** How long a look waits for a server that does not answer. */
const hangMs = 250
/** How long a connection waits for a server that is wanted. */
const waitMs = 5_000
/** Looks go on for so long after the last connection: the next one finds what is known. */
const idleLooks = 4

export interface ServersOptions {
  places: readonly ServerPlace[]
  target: ServerTarget
  urlOf(place: ServerPlace): string
}

interface Server {
  place: ServerPlace
  name: string
  probe: ServerProbe | undefined
  answer: ServerAnswer | undefined
  /** Until it has answered, or not within the probe's time. */
  asking: Promise<void> | undefined
}

export function listedServers({ places, target, urlOf }: ServersOptions): Servers {
  const servers = places.map(
    (place): Server => ({ place, name: nameOf(place), probe: undefined, answer: undefined, asking: undefined }),
  )
  const sockets = new Map<Socket, Server>()
  const listeners: (() => void)[] = []
  const waiters = new Set<() => void>()
  let states: readonly ServerState[] = []
  let chosen: Server | undefined
  /** The cluster that is written to, and the newest promotion of it that was seen: older ones are refused from then on. */
  let seen: { cluster: string; timeline: number } | undefined
  let looking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let idle = 0

  function isRefused({ cluster, timeline }: ServerAnswer): boolean {
    if (!seen || cluster === null) return false
    return cluster !== seen.cluster || (timeline !== null && timeline < seen.timeline)
  }

  function isWanted({ answer }: Server): boolean {
    if (!answer || isRefused(answer)) return false
    switch (target) {
      case 'read-write':
        return !answer.isReadOnly
      case 'primary':
        return !answer.isStandby
      case 'read-only':
        return answer.isReadOnly
      case 'standby':
        return answer.isStandby
      case 'prefer-standby':
        return answer.isStandby || !servers.some((other) => other.answer?.isStandby)
      case 'any':
        return true
      default:
        return target satisfies never
    }
  }

  /** Of several that write, the one that was promoted last: the others do not know of it. */
  function note({ cluster, timeline }: { cluster: string; timeline: number }): void {
    seen ??= { cluster, timeline }
    if (cluster === seen.cluster && timeline > seen.timeline) seen = { cluster, timeline }
  }

  function noteAnswers(): void {
    for (const { answer } of servers) {
      if (!answer || answer.isStandby || answer.cluster === null || answer.timeline === null) continue
      note({ cluster: answer.cluster, timeline: answer.timeline })
    }
  }

  function settle(): void {
    noteAnswers()
    const written = servers.find((server) => server.answer && !server.answer.isStandby && !isRefused(server.answer))
    states = servers.map((server) => stateOf(server, isRefused, written?.answer?.position ?? null))
    // One that does not answer for the moment stays chosen while there is no other: its connections may still work.
    if (!chosen || !isWanted(chosen)) {
      const next = servers.find(isWanted)
      if (next || chosen?.answer) chosen = next
    }
    for (const [socket, server] of sockets)
      if (server !== chosen) cut(socket, `${server.name} is not the server that is wanted any more`)
    if (chosen?.answer) for (const wake of waiters) wake()
    for (const listener of listeners) listener()
  }

  /** A server that hangs is not asked again meanwhile. */
  function ask(server: Server): Promise<void> {
    server.probe ??= serverProbe(urlOf(server.place))
    const { probe } = server
    server.asking ??= probe.ask().then((answer) => {
      if (server.probe !== probe) return
      Object.assign(server, { asking: undefined, answer })
      if (seen && answer && (answer.timeline ?? 0) > seen.timeline) settle()
    })
    return server.asking
  }

  /** One that hangs holds up the first look alone, in which an old primary might come first; a promotion is seen meanwhile. */
  async function lookOnce(): Promise<void> {
    const answers = Promise.all(servers.map(ask))
    await (seen ? Promise.race([answers, wait(hangMs)]) : answers)
    settle()
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = undefined
      clearTimeout(timer)
      idle = sockets.size > 0 || waiters.size > 0 ? 0 : idle + 1
      if (idle < idleLooks) timer = setTimeout(() => void look(), waiters.size > 0 ? waitingLookMs : lookMs).unref()
      else rest()
    })
    return looking
  }

  /** Nobody is connected: nothing is asked, until somebody is again. */
  function rest(): void {
    for (const server of servers) {
      void server.probe?.close()
      Object.assign(server, { probe: undefined, asking: undefined, answer: undefined })
    }
    chosen = undefined
  }

  /** The server that is wanted, once one is known to answer; after `waitMs` the last one. */
  async function wanted(): Promise<Server | undefined> {
    if (!chosen?.answer) {
      const woken = Promise.withResolvers<void>()
      // It keeps the process alive too, which has no socket meanwhile.
      const late = setTimeout(woken.resolve, waitMs)
      waiters.add(woken.resolve)
      void look()
      await woken.promise
      waiters.delete(woken.resolve)
      clearTimeout(late)
    }
    return chosen
  }

  return {
    get states() {
      return states
    },
    get chosen() {
      return chosen?.name
    },
    async look() {
      await look()
      return states
    },
    notePromotion(promoted) {
      note(promoted)
      settle()
    },
    async connect() {
      const server = await wanted()
      if (!server) return noServer(describe(states))
      const socket = connectTo(server.place)
      sockets.set(socket, server)
      socket.once('error', () => {
        // The next connection waits until somebody is known to answer.
        server.answer = undefined
      })
      socket.once('close', () => sockets.delete(socket))
      void look()
      return socket
    },
    onLook(listener) {
      listeners.push(listener)
    },
  }
}

function stateOf(
  { name, answer }: Server,
  isRefused: (answer: ServerAnswer) => boolean,
  written: bigint | null,
): ServerState {
  if (!answer) return { name, role: 'unreachable', timeline: null, lagBytes: null }
  const { isStandby, isReadOnly, timeline, position } = answer
  if (isRefused(answer)) return { name, role: 'refused', timeline, lagBytes: null }
  const lag = isStandby && written !== null && position !== null ? Number(written - position) : null
  const role = isStandby ? 'standby' : isReadOnly ? 'read-only' : 'primary'
  return { name, role, timeline, lagBytes: lag === null ? null : Math.max(0, lag) }
}

const nameOf = ({ host, port }: ServerPlace): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** In one line. */
export function describe(states: readonly ServerState[]): string {
  return states
    .map(({ name, role, lagBytes }) => `${name} is ${roleText[role]}${lagBytes ? `, ${lagBytes} bytes behind` : ''}`)
    .join('; ')
}

const roleText: Record<ServerRole, string> = {
  primary: 'the primary',
  standby: 'a standby',
  'read-only': 'read-only',
  refused: 'an old primary, or another database',
  unreachable: 'not reachable',
}

/**
 * Not at once: a connection of the driver that is closed between a write and the next `setImmediate`, by which it is sent,
 * never sends anything again.
 */
function cut(socket: Socket, reason: string): void {
  setImmediate(() => setImmediate(() => socket.destroy(Object.assign(new Error(reason), { code: 'ECONNRESET' }))))
}

function noServer(found: string): Duplex {
  return failedConnection(
    Object.assign(new Error(`no server is the one that is wanted: ${found}`), { code: 'NO_SERVER' }),
  )
}
