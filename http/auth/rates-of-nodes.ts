/**
 * One rate for all nodes: each key's requests are counted at one node, the one that has its slot, and the others ask it. Where
 * it does not answer, a node counts for itself.
 */
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { NodesAround } from '../../runtime/nodes/leases.ts'
import { questions } from '../../runtime/nodes/questions.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ms } from '../../runtime/time/duration.ts'
import { type KeyRates, type RateDecision, type RateLimiter, rateLimiterOf } from './rate-limiter.ts'

interface Take {
  key: string
  limit: number
}

const keyCharactersMax = 200

export function ratesOfNodes(parts: { own: KeyRates; bus: Bus; nodes: NodesAround; clock: Clock }): RateLimiter {
  const { own, bus, nodes, clock } = parts
  const ask = questions<Take, RateDecision>({
    ...{ bus, clock, isQuestion: isTake, isAnswer: isDecision },
    kinds: { question: 'rate.take', answer: 'rate.taken' },
    withinMs: ms(250),
    askedMax: 10_000,
    answer: ({ key, limit }) => own.take(key, limit),
  })

  function take(key: string, limit: number): RateDecision | Promise<RateDecision> {
    const node = nodes.ownerOf(key)
    if (node === undefined || node === nodes.node) return own.take(key, limit)
    return ask(node, { key, limit }).then((decision) => decision ?? own.take(key, limit))
  }

  return rateLimiterOf(take)
}

function isTake(body: unknown): body is Take {
  const { key, limit } = (body ?? {}) as Partial<Take>
  return typeof key === 'string' && key.length <= keyCharactersMax && isCount(limit) && limit > 0
}

function isDecision(body: unknown): body is RateDecision {
  const { isAllowed, limit, remaining, resetS, retryAfterS } = (body ?? {}) as Partial<RateDecision>
  return typeof isAllowed === 'boolean' && [limit, remaining, resetS, retryAfterS].every(isCount)
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
