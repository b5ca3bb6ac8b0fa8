/**
 * What a turn did before it handed calls to its client. The client sends back its own calls with their results and knows
 * nothing of the others: whoever goes on for it is told of them, lest it does again what was done.
 */
import { createHash, hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ChatMessage } from '../../../models/transport.ts'
import type { Services } from '../../services.ts'
import type { AgentTask } from '../../turn/messages.ts'

export interface ClientToolCalls {
  /** Of earlier rounds: calls and what they returned. */
  before: readonly ChatMessage[]
  /** The message with the client's calls, those that were made here among them. */
  message: ChatMessage
  /** What those that were made here returned. */
  results: readonly ChatMessage[]
}

/** Of all that wait for their clients, the newest; and of one. */
const charactersMax = 16_777_216
const charactersOfOneMax = 2_097_152

/** null: two turns were alike in all that tells them apart, and neither is told of the other's. */
type Kept = LRUCache<string, { rounds: ClientToolCalls | null }>

/** By the writer of steps: one a start. */
const kept = new WeakMap<Services['steps'], Kept>()

function keptOf({ steps }: Pick<Services, 'steps'>): Kept {
  let known = kept.get(steps)
  if (!known) {
    known = new LRUCache({
      maxSize: charactersMax,
      maxEntrySize: charactersOfOneMax,
      sizeCalculation: ({ rounds }) => 256 + JSON.stringify(rounds).length,
    })
    kept.set(steps, known)
  }
  return known
}

type Asking = Pick<AgentTask, 'workspaceId' | 'conversationId' | 'agent'>

/** @param messages what the turn was asked with, without instructions @param calls as the client has them */
export function storeClientToolCalls(
  services: Pick<Services, 'steps'>,
  asking: Asking,
  messages: readonly ChatMessage[],
  { calls, rounds }: { calls: ChatMessage; rounds: ClientToolCalls },
): void {
  const all = keptOf(services)
  const isEmpty = rounds.before.length === 0 && rounds.results.length === 0
  if (isEmpty && (asking.conversationId === null || all.size === 0)) return
  const place = placeIn(asking)
  for (const message of messages) place.pass(message)
  const key = place.keyOf(calls)
  if (isEmpty) {
    // An older turn of the conversation may have left something at this place.
    all.delete(key)
    return
  }
  // In a conversation the last one is meant; without one there is no telling which.
  const isAmbiguous = asking.conversationId === null && all.has(key)
  all.set(key, { rounds: isAmbiguous ? null : rounds })
}

/**
 * Puts what was done in the place of messages with calls that were handed out; others stay as they are.
 * @param messages as the client sent them, without instructions
 * @param told what of them the model is told: calls may be left out from the oldest on, and texts may be cut
 */
export function withClientToolCalls(
  services: Pick<Services, 'steps'>,
  asking: Asking,
  messages: readonly ChatMessage[],
  told: readonly ChatMessage[],
): ChatMessage[] {
  const all = keptOf(services)
  if (all.size === 0) return [...told]
  const place = placeIn(asking)
  const from = messages.findLastIndex(({ role }) => role === 'user') + 1
  /** By ids, which may be the same in several rounds: oldest first, with null for those of which nothing is known. */
  const behind = new Map<string, (ClientToolCalls | null)[]>()
  for (const [at, message] of messages.entries()) {
    if (hasCalls(message)) {
      // What was answered before the user spoke again is past, and told as all of the past is.
      const rounds = at < from ? null : (all.get(place.keyOf(message))?.rounds ?? null)
      const ids = idsOf(message)
      const those = behind.get(ids)
      if (those) those.push(rounds)
      else behind.set(ids, [rounds])
    }
    place.pass(message)
  }
  const newestFirst = told.toReversed().map((message) => {
    const rounds = hasCalls(message) ? behind.get(idsOf(message))?.pop() : undefined
    return rounds ? [...rounds.before, rounds.message, ...rounds.results] : [message]
  })
  return newestFirst.reverse().flat()
}

interface Place {
  /** Goes on behind the message. */
  pass(message: ChatMessage): void
  keyOf(calls: ChatMessage): string
}

/**
 * Endpoints give ids that are unique within one answer only. In a conversation rounds of the same ids are told apart by
 * their order since the user spoke, elsewhere by all that was said before: hashed on as it goes, so that a request is
 * gone through once.
 */
function placeIn({ workspaceId, conversationId, agent }: Asking): Place {
  const said = conversationId === null ? createHash('sha256').update(line(agent.name)) : undefined
  const times = new Map<string, number>()
  return {
    pass(message) {
      said?.update(line([message.role, message.content ?? '']))
      if (message.role === 'user') times.clear()
      else if (hasCalls(message)) times.set(idsOf(message), (times.get(idsOf(message)) ?? 0) + 1)
    },
    keyOf(calls) {
      const ids = idsOf(calls)
      const where = said ? said.copy().digest('hex') : [conversationId, times.get(ids) ?? 0]
      return hash('sha256', JSON.stringify([workspaceId, where, ids]), 'hex')
    },
  }
}

/** JSON has no line breaks of its own: where one value ends cannot be mistaken. */
const line = (value: unknown): string => `${JSON.stringify(value)}\n`

function hasCalls({ role, tool_calls: calls }: ChatMessage): boolean {
  return role === 'assistant' && Array.isArray(calls) && calls.length > 0
}

function idsOf({ tool_calls: calls }: ChatMessage): string {
  return JSON.stringify((calls as readonly ({ id?: unknown } | null)[]).map((call) => call?.id ?? null))
}
