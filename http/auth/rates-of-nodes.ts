/**
 * One rate for all nodes: each key's requests are counted at one node, the one that has its slot, and the others ask it. Where
 * it does not answer, a node counts for itself.
 */
import type { NodesAround } from '../../runtime/actor/remote.ts'
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import { ms } from '../../runtime/time/duration.ts'
import { type KeyRates, type RateDecision, type RateLimiter, rateLimiterOf } from './rate-limiter.ts'

interface Take {
  id: number
  key: string
  limit: number
}

interface Taken {
  id: number
  decision: RateDecision
}

const answerMs = ms(250)
/** Questions that wait for their answer. */
const askedMax = 10_000
const keyCharactersMax = 200

export function ratesOfNodes(parts: { own: KeyRates; bus: Bus; nodes: NodesAround; clock: Clock }): RateLimiter {
  const { own, bus, nodes, clock } = parts
  const asked = new Map<number, { node: number; timer: Timer; resolve(decision: RateDecision): void }>()
  let lastId = 0

  function take(key: string, limit: number): RateDecision | Promise<RateDecision> {
    const node = nodes.ownerOf(key)
    if (node === undefined || node === nodes.node || !bus.isUp || asked.size >= askedMax) return own.take(key, limit)
    return new Promise((resolve) => {
      const id = ++lastId
      const timer = clock.after(answerMs, () => {
        asked.delete(id)
        resolve(own.take(key, limit))
      })
      asked.set(id, { node, timer, resolve })
      bus.send(node, 'rate.take', { id, key, limit } satisfies Take)
    })
  }

  bus.on('rate.take', (message, from) => {
    if (!isTake(message)) return
    const { id, key, limit } = message
    bus.send(from, 'rate.taken', { id, decision: own.take(key, limit) } satisfies Taken)
  })
  bus.on('rate.taken', (message, from) => {
    if (!isTaken(message)) return
    const { id, decision } = message
    const question = asked.get(id)
    if (question?.node !== from) return
    asked.delete(id)
    question.timer.cancel()
    question.resolve(decision)
  })
  return rateLimiterOf(take)
}

function isTake(message: unknown): message is Take {
  const { id, key, limit } = (message ?? {}) as Partial<Take>
  return isCount(id) && typeof key === 'string' && key.length <= keyCharactersMax && isCount(limit) && limit > 0
}

function isTaken(message: unknown): message is Taken {
  const { id, decision } = (message ?? {}) as Partial<Taken>
  const { isAllowed, limit, remaining, resetS, retryAfterS } = decision ?? ({} as Partial<RateDecision>)
  return isCount(id) && typeof isAllowed === 'boolean' && [limit, remaining, resetS, retryAfterS].every(isCount)
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
