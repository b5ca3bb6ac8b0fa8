/** Everything that clients of many nodes do at once: messages of channels, streamed calls, web chats, and operators who decide. */
import { makeAgent, makeChannel, makePrice } from './admin-requests.ts'
import { callers } from './callers.ts'
import { judge } from './judge.ts'
import { judgeApprovals } from './judge-approvals.ts'
import { countEnds, judgeClients } from './judge-clients.ts'
import { judgeEffects } from './judge-effects.ts'
import { judgeUsage } from './judge-usage.ts'
import type { Load, LoadParts } from './load.ts'
import { operators } from './operators.ts'
import { senders } from './senders.ts'
import { judgeSlots } from './slot-history.ts'
import { webChats } from './web-chats.ts'

/** Channels, and who writes to them: the model's script goes by the role. */
const writers = [
  { channel: 'crash', role: 'sender', policy: {}, count: 4, pauseMsMax: 150 },
  { channel: 'orders', role: 'buyer', policy: {}, count: 2, pauseMsMax: 800 },
  { channel: 'approvals', role: 'careful', policy: { agent: 'careful' }, count: 2, pauseMsMax: 500 },
]
const chatsCount = 3

export async function mixedLoad(parts: LoadParts): Promise<Load> {
  const { service, world, reader, key, random } = parts
  await makePrice(parts)
  await makeAgent(parts, 'careful', { tools: ['http_request'], approval_tools: ['http_request'] })
  for (const { channel, policy } of writers) await makeChannel(parts, channel, policy)
  const common = { url: service.url, key, random }
  const people = writers.map((writer) => senders({ ...common, ...writer, answered: world.answered }))
  const asking = [
    callers({ ...common, role: 'caller', model: 'm', isStored: true, count: 3 }),
    callers({ ...common, role: 'caller', model: 'm', isStored: false, count: 2 }),
    callers({ ...common, role: 'careful', model: 'careful', isStored: false, count: 1 }),
  ]
  const chatting = await webChats({ ...common, count: chatsCount })
  const deciding = operators(common)
  return {
    async stop() {
      await Promise.all([...people, ...asking, chatting].map((each) => each.stop()))
    },
    async judge(db) {
      const accepted = new Map(people.flatMap((each) => [...each.accepted]))
      const answers = asking.flatMap((each) => each.answers)
      const { chats } = chatting
      const judged = await judge({ db, accepted, ...world, reader })
      const effects = await judgeEffects({ db, accepted, ...world, reader })
      const approvals = await judgeApprovals({ db, ...world, ...deciding })
      const slots = await judgeSlots(db)
      const usage = await judgeUsage({ db, ...world })
      const clients = await judgeClients({ db, answers, chats, wasKilled: service.wasKilled })
      const counts = {
        effects: effects.effects,
        unknown: effects.unknown,
        approvals: approvals.approvals,
        answers: countEnds(answers),
        web_messages: chats.reduce((sum, chat) => sum + chat.accepted.length, 0),
        web_connections: chats.flatMap((chat) => chat.heard).reduce((sum, { connections }) => sum + connections, 0),
        leases: slots.leases,
        ...usage.counts,
      }
      const others = [effects, approvals, slots, usage].flatMap(({ wrongs }) => wrongs)
      return { ...judged, counts, wrongs: [...judged.wrongs, ...clients, ...others] }
    },
    async close() {
      chatting.close()
      await deciding.stop()
    },
  }
}
