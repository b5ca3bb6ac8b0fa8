/** The load of a single process: people who write to one channel, with or without effects. */
import { makeChannel, makePrice } from './admin-requests.ts'
import { judge } from './judge.ts'
import { judgeEffects } from './judge-effects.ts'
import { judgeUsage } from './judge-usage.ts'
import type { Load, LoadParts } from './load.ts'
import { senders } from './senders.ts'

const channel = 'crash'
/** At most, between two messages of one sender: a turn with tools takes five calls, and what waits has to be answered in the end. */
const pauseMs = { plain: 40, withTools: 800 }

export async function oneNodeLoad(parts: LoadParts, options: { hasTools: boolean; count: number }): Promise<Load> {
  const { service, world, reader, random } = parts
  const { hasTools, count } = options
  await makePrice(parts)
  await makeChannel(parts, channel)
  const role = hasTools ? 'buyer' : 'sender'
  const pauseMsMax = hasTools ? pauseMs.withTools : pauseMs.plain
  const people = senders({ url: service.url, role, channel, count, pauseMsMax, random, answered: world.answered })
  return {
    stop: () => people.stop(),
    async judge(db) {
      const evidence = { db, accepted: people.accepted, ...world, reader }
      const judged = await judge(evidence)
      const usage = await judgeUsage({ db, ...world })
      if (!hasTools) return { ...judged, counts: usage.counts, wrongs: [...judged.wrongs, ...usage.wrongs] }
      const { effects, unknown, wrongs } = await judgeEffects(evidence)
      const counts = { effects, unknown, ...usage.counts }
      return { ...judged, counts, wrongs: [...judged.wrongs, ...wrongs, ...usage.wrongs] }
    },
    async close() {},
  }
}
