/**
 * How many tokens a key may use a minute. What a call is sure to use is held before its model is called and settled with what it
 * used when it ends. Each key is counted at one node, the one that has its slot; where that does not answer, a node counts for itself.
 */
import { LRUCache } from 'lru-cache'
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { NodesAround } from '../../runtime/nodes/leases.ts'
import { questions } from '../../runtime/nodes/questions.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes, ms } from '../../runtime/time/duration.ts'
import type { UsedCalls } from '../agent/usage-ledger.ts'
import { TurnFailed } from '../turn/turn-failed.ts'

export interface TokenRate {
  /** The id of the key. */
  key: string
  tokensPerMinute: number
}

/** What a call holds until it ends: plain data. One that is never settled is over by itself, as the rates refill. */
export interface TokenHold {
  rates: readonly TokenRate[]
  tokens: number
}

export interface TokenRates {
  /** At all of the rates, or at none. @throws TurnFailed rate_limit_exceeded */
  hold(rates: readonly TokenRate[], tokens: number): Promise<TokenHold>
  /** @param tokens that were used, fewer or more than were held */
  settle(hold: TokenHold, tokens: number): void
}

interface Count extends TokenRate {
  /** Below zero: given back. */
  tokens: number
  /** Counted however much there is: it was used. */
  isSettlement: boolean
}

interface Verdict {
  isAllowed: boolean
  waitMs: number
}

/** Past this, the keys unused for longest are forgotten, and start again with a full allowance. */
const keysMax = 100_000

/** A call that used many times its minute does not lock its key for longer. */
const debtMsMax = minutes(10)

const minuteMs = minutes(1)
const keyCharactersMax = 200

export function tokenRates({
  clock,
  nodes,
}: {
  clock: Clock
  nodes?: { around: NodesAround; bus: Bus } | undefined
}): TokenRates {
  const own = tokenBuckets(clock)
  const ask =
    nodes &&
    questions<Count, Verdict>({
      ...{ bus: nodes.bus, clock, isQuestion: isCount, isAnswer: isVerdict },
      kinds: { question: 'tokens.count', answer: 'tokens.counted' },
      withinMs: ms(250),
      askedMax: 10_000,
      answer: own,
    })

  async function count(counted: Count): Promise<Verdict> {
    const node = nodes?.around.ownerOf(counted.key)
    if (!ask || node === undefined || node === nodes?.around.node) return own(counted)
    return (await ask(node, counted)) ?? own(counted)
  }

  function settleAt(rates: readonly TokenRate[], tokens: number): void {
    if (tokens !== 0) for (const rate of rates) void count({ ...rate, tokens, isSettlement: true })
  }

  return {
    async hold(rates, tokens) {
      for (const [at, rate] of rates.entries()) {
        const { isAllowed, waitMs } = await count({ ...rate, tokens, isSettlement: false })
        if (isAllowed) continue
        settleAt(rates.slice(0, at), -tokens)
        throw exceeded(rate, waitMs)
      }
      return { rates, tokens }
    },
    settle: (hold, tokens) => settleAt(hold.rates, tokens - hold.tokens),
  }
}

/** Runs a turn and settles what its key holds with what it used. @param run is told of the calls that were made */
export async function settlingTokens<Result>(
  { tokenRates }: { tokenRates: TokenRates },
  hold: TokenHold | undefined,
  run: (onUsed: (calls: readonly UsedCalls[] | undefined) => void) => Promise<Result>,
): Promise<Result> {
  let tokens = 0
  try {
    return await run((calls = []) => {
      tokens = calls.reduce((sum, { tokensIn, tokensOut }) => sum + tokensIn + tokensOut, 0)
    })
  } finally {
    if (hold) tokenRates.settle(hold, tokens)
  }
}

/** Each key's tokens flow back evenly, and a whole minute's may be used at once after a pause. */
function tokenBuckets(clock: Clock): (count: Count) => Verdict {
  /** When all that was used will have flowed back. */
  const fullAtMs = new LRUCache<string, { ms: number }>({ max: keysMax })
  return ({ key, tokensPerMinute, tokens, isSettlement }) => {
    const nowMs = clock.elapsed()
    let full = fullAtMs.get(key)
    if (!full) {
      full = { ms: nowMs }
      fullAtMs.set(key, full)
    }
    const fromMs = Math.max(full.ms, nowMs)
    const costMs = (tokens * minuteMs) / tokensPerMinute
    if (isSettlement) {
      full.ms = Math.min(fromMs + costMs, nowMs + debtMsMax)
      return { isAllowed: true, waitMs: 0 }
    }
    // One that holds more than a minute has is let in when nothing else is used.
    const waitMs = fromMs + Math.min(costMs, minuteMs) - nowMs - minuteMs
    if (waitMs > 0) return { isAllowed: false, waitMs }
    full.ms = Math.min(fromMs + costMs, nowMs + debtMsMax)
    return { isAllowed: true, waitMs: 0 }
  }
}

function exceeded({ tokensPerMinute }: TokenRate, waitMs: number): TurnFailed {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  return new TurnFailed({
    code: 'rate_limit_exceeded',
    status: 429,
    message: `This key may use ${tokensPerMinute} tokens a minute; try again in ${retryAfterS} s.`,
    retryAfterMs: retryAfterS * 1_000,
  })
}

function isCount(body: unknown): body is Count {
  const { key, tokensPerMinute, tokens, isSettlement } = (body ?? {}) as Partial<Count>
  return (
    typeof key === 'string' &&
    key.length <= keyCharactersMax &&
    Number.isSafeInteger(tokensPerMinute) &&
    (tokensPerMinute as number) > 0 &&
    Number.isSafeInteger(tokens) &&
    typeof isSettlement === 'boolean'
  )
}

function isVerdict(body: unknown): body is Verdict {
  const { isAllowed, waitMs } = (body ?? {}) as Partial<Verdict>
  return typeof isAllowed === 'boolean' && Number.isFinite(waitMs)
}
