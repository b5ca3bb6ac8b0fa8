/** Entries of usage: one for each agent, endpoint and model of a turn, written by the statement that writes the turn's end. */
import { safeText } from '../postgres/safe-text.ts'
import { type Fragment, sql } from '../postgres/sql.ts'

/** What can be used, and has a price. Cached tokens are among those that went in, reasoning among those that came out. */
export const usageUnits = [
  'token_in',
  'token_cached',
  'token_out',
  'token_reasoning',
  'second',
  'character',
  'image',
  'call',
] as const
export type UsageUnit = (typeof usageUnits)[number]

/** Whole units; absent: none. */
export type UsageAmounts = Partial<Record<UsageUnit, number>>

export interface UsageEntry {
  /** Null: the model answered by itself. */
  agent: string | null
  agentVersion: number | null
  endpoint: string | null
  modelAsked: string | null
  model: string | null
  isEstimated: boolean
  amounts: UsageAmounts
  /** Null: it has no price. */
  cost: EntryCost | null
}

export interface EntryCost {
  priceId: number
  currency: string
  /** Millionths of the currency. */
  microUnits: bigint
}

/** What the turn's own row says of all its entries. */
export interface TurnSums {
  cachedTokens: number
  reasoningTokens: number
  /** Null: none of it has a price. */
  cost: { currency: string; microUnits: bigint } | null
}

/** The largest of the columns of a turn: some endpoints count what nobody can have used, and a turn has many calls. */
const countMax = 2_147_483_647
const costMax = 2n ** 63n - 1n

/** As a turn's own row can have it. */
export const storedCount = (count: number): number => Math.min(count, countMax)

const storedCost = (microUnits: bigint): bigint => (microUnits < costMax ? microUnits : costMax)

export function sumsOf(entries: readonly UsageEntry[]): TurnSums {
  const sums: TurnSums = { cachedTokens: 0, reasoningTokens: 0, cost: null }
  for (const { amounts, cost } of entries) {
    sums.cachedTokens = storedCount(sums.cachedTokens + (amounts.token_cached ?? 0))
    sums.reasoningTokens = storedCount(sums.reasoningTokens + (amounts.token_reasoning ?? 0))
    // All prices of an installation are of one currency.
    if (cost)
      sums.cost = { currency: cost.currency, microUnits: storedCost((sums.cost?.microUnits ?? 0n) + cost.microUnits) }
  }
  return sums
}

/** Its columns, as `entryRows` names them. */
const letters = sql`a text, b integer, c text, d text, e text, f boolean, g bigint, h bigint, i bigint, j bigint, k bigint,
      l bigint, m bigint, n bigint, o bigint, p text, q bigint, z boolean`

/** As `insertUsage` reads them. The first one carries the turn. All of one shape: each is written in a fifth of the time. */
export function entryRows(entries: readonly UsageEntry[]): object[] {
  return entries.map(({ agent, agentVersion, endpoint, modelAsked, model, isEstimated, amounts, cost }, at) => ({
    a: textOf(agent),
    b: agentVersion ?? undefined,
    c: textOf(endpoint),
    d: textOf(modelAsked),
    e: textOf(model),
    f: isEstimated,
    g: amounts.token_in || undefined,
    h: amounts.token_cached || undefined,
    i: amounts.token_out || undefined,
    j: amounts.token_reasoning || undefined,
    k: amounts.second || undefined,
    l: amounts.character || undefined,
    m: amounts.image || undefined,
    n: amounts.call || undefined,
    o: cost?.priceId,
    p: cost?.currency,
    q: cost ? String(storedCost(cost.microUnits)) : undefined,
    z: at === 0 || undefined,
  }))
}

/** JSON leaves out what is undefined, and the statement reads that as null. */
const textOf = (text: string | null): string | undefined => (text === null ? undefined : safeText(text))

/**
 * @param ended a table of the statement: the columns of `turns` of turns that ended in it, and `usage`, the JSON of their entries
 * @param carries whether the first entry counts the turn
 */
export function insertUsage(ended: Fragment, carries: Fragment = sql`true`): Fragment {
  return sql`insert into usage_entries (workspace_id, turn_id, origin, api_key_id, operator_id, channel_id, agent, agent_version,
      endpoint, model_asked, model, status, duration_ms, first_token_ms, unknown, is_estimated, token_in, token_cached, token_out, token_reasoning,
      second, character, image, call, price_id, currency, micro_units)
    select ended.workspace_id, ended.id, ended.origin, ended.api_key_id, ended.operator_id, ended.channel_id, entry.a, entry.b,
      entry.c, entry.d, entry.e,
      case when entry.z and ${carries} then ended.status end, case when entry.z and ${carries} then ended.duration_ms end,
      case when entry.z and ${carries} then ended.time_to_first_token_ms end, case when entry.z and not ${carries} then -1 end,
      entry.f, g, h, i, j, k, l, m, n, o, p, q
    from ${ended} as ended cross join lateral json_to_recordset(ended.usage) as entry (${letters})`
}

/** An entry without any amounts for each turn that was ended from outside. @param isUnknown of a row: it ran, and nobody counted what it used */
export function insertUnknownUsage(ended: Fragment, isUnknown: Fragment): Fragment {
  return sql`insert into usage_entries (workspace_id, turn_id, origin, api_key_id, operator_id, channel_id, agent, agent_version,
      model, status, unknown)
    select workspace_id, id, origin, api_key_id, operator_id, channel_id, agent, agent_version, model, status,
      case when ${isUnknown} then 1 end
    from ${ended}`
}

/** What `insertUnknownUsage` reads of a turn, to be returned by the statement that ends it. */
export const endedColumns = sql`turns.id, turns.workspace_id, turns.origin, turns.api_key_id, turns.operator_id, turns.channel_id,
  turns.agent, turns.agent_version, turns.model, turns.status`
