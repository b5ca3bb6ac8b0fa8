/** The reckoning of effects: none was made twice, and of each that may or may not have been made the model and the feed were told. */
import type { Database } from '../../store/database.ts'
import type { EventReader } from './event-reader.ts'
import type { MadeEffect } from './outside.ts'
import { effectsOf } from './scripted-model.ts'
import type { AcceptedMessage } from './senders.ts'

export interface EffectEvidence {
  db: Database
  accepted: ReadonlyMap<string, AcceptedMessage[]>
  effects: readonly MadeEffect[]
  toldUnknown: ReadonlySet<string>
  reader: EventReader
}

interface StoredCall {
  text: string
  name: string
  round: number
  status: string
  /** By an operator. */
  isRefused: boolean
}

export interface EffectJudgement {
  /** Calls that were made once. */
  effects: number
  /** Calls of which nobody knows whether they took effect. */
  unknown: number
  wrongs: string[]
}

export async function judgeEffects(evidence: EffectEvidence): Promise<EffectJudgement> {
  const { db, accepted, effects, toldUnknown, reader } = evidence
  const calls = await callsOf(db)
  const unknown = calls.filter(({ status }) => status === 'unknown')
  const made = countBy(effects, keyOf)
  const ledger = new Map(calls.filter(({ name }) => name === 'http_request').map((call) => [keyOf(call), call]))
  const wrongs: string[] = []
  for (const [key, times] of made) if (times > 1) wrongs.push(`the effect ${key} was made ${times} times`)
  for (const { text } of [...accepted.values()].flat()) {
    for (let round = 0; round < effectsOf(text); round++) {
      const key = keyOf({ round, text })
      const call = ledger.get(key)
      if (!call) wrongs.push(`the effect ${key} is not in the ledger`)
      else if (call.status === 'succeeded' && !made.has(key)) wrongs.push(`the effect ${key} was never made`)
    }
  }
  for (const { text, name, status, isRefused } of calls)
    if (!(isRefused && status === 'failed') && !endings[name]?.includes(status))
      wrongs.push(`a call of ${name} for "${text}" is ${status}`)
  for (const { text } of unknown)
    if (!toldUnknown.has(text)) wrongs.push(`the model was not told of the unknown effect of "${text}"`)
  const reported = reader.events.filter(({ kind }) => kind === 'step.unknown').length
  if (reported !== unknown.length) wrongs.push(`${reported} unknown effects were told on the feed of ${unknown.length}`)
  return { effects: made.size, unknown: unknown.length, wrongs }
}

/** How calls may end; one that is refused has failed, and the calculator runs out of its time where the machine is busy, and may be asked again. */
const endings: Record<string, readonly string[]> = {
  http_request: ['succeeded', 'unknown'],
  calculator: ['succeeded', 'failed'],
}

const keyOf = ({ round, text }: { round: number; text: string }): string => `${round} of "${text}"`

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}

/** Places of one round in a turn's journal. */
const roundPlaces = 100

async function callsOf(db: Database): Promise<StoredCall[]> {
  const rows = await db.system<Omit<StoredCall, 'round'> & { n: number }>`
    select messages.body ->> 'content' as text, turn_steps.name, turn_steps.n, turn_steps.status,
      coalesce(approvals.status = 'refused', false) as "isRefused"
    from turn_steps join messages on messages.turn_id = turn_steps.turn_id and messages.role = 'user'
      left join approvals on (approvals.turn_id, approvals.path, approvals.n) = (turn_steps.turn_id, turn_steps.path, turn_steps.n)
    where turn_steps.kind = 'tool'`
  return rows.map(({ n, ...call }) => ({ ...call, round: Math.floor(n / roundPlaces) }))
}
