/**
 * What a turn did before it handed calls to its client. The client sends back its own calls with their results and does
 * not have the others: the turn that goes on is told of them, so that it does not do the same again.
 */
import { createHash, hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ChatMessage } from '../../../models/transport.ts'
import type { AgentTask } from '../../turn/messages.ts'

export interface ClientToolCalls {
  /** Of earlier rounds: calls and what they returned. */
  before: readonly ChatMessage[]
  /** The message with the client's calls, beside the calls that were made here. */
  message: ChatMessage
  /** What those that were made here returned. */
  results: readonly ChatMessage[]
}

type Asking = Pick<AgentTask, 'workspaceId' | 'conversationId' | 'agent'>

export interface ClientToolCallCache {
  /** @param messages what the turn was asked with, without instructions @param handed.calls as the client has them */
  store(asking: Asking, messages: readonly ChatMessage[], handed: { calls: ChatMessage; done: ClientToolCalls }): void
  /**
   * Puts what was done in the place of messages with calls that were handed to the client; others stay as they are.
   * @param messages as the client sent them, without instructions
   * @param fitting what of them the model is told: calls may be left out from the oldest on, and texts may be cut
   */
  restore(asking: Asking, messages: readonly ChatMessage[], fitting: readonly ChatMessage[]): ChatMessage[]
}

/** Of all that wait for their clients the newest are kept; and the most that one may be. */
const charactersMax = 16_777_216
const charactersOfOneMax = 2_097_152

export function clientToolCallCache(): ClientToolCallCache {
  /** null: two turns were alike in all that tells them apart, and neither is told of the other's. */
  const cache = new LRUCache<string, { done: ClientToolCalls | null }>({
    maxSize: charactersMax,
    maxEntrySize: charactersOfOneMax,
    sizeCalculation: ({ done }) => 256 + JSON.stringify(done).length,
  })

  return {
    store(asking, messages, { calls, done }) {
      const isEmpty = done.before.length === 0 && done.results.length === 0
      if (isEmpty && (asking.conversationId === null || cache.size === 0)) return
      const place = placeIn(asking)
      for (const message of messages) place.pass(message)
      const key = place.keyOf(calls)
      if (isEmpty) {
        // An older turn of the conversation may have left something at this place.
        cache.delete(key)
        return
      }
      // In a conversation the last one is meant; without one there is no telling which.
      const isAmbiguous = asking.conversationId === null && cache.has(key)
      cache.set(key, { done: isAmbiguous ? null : done })
    },
    restore(asking, messages, fitting) {
      if (cache.size === 0) return [...fitting]
      const doneById = collect(asking, messages, (key) => cache.get(key)?.done ?? null)
      const newestFirst = fitting.toReversed().map((message) => {
        const done = hasCalls(message) ? doneById.get(idsOf(message))?.pop() : undefined
        return done ? [...done.before, done.message, ...done.results] : [message]
      })
      return newestFirst.reverse().flat()
    },
  }
}

/** By the ids of calls, which may be the same in several rounds: oldest first, with null where nothing is cached. */
function collect(
  asking: Asking,
  messages: readonly ChatMessage[],
  find: (key: string) => ClientToolCalls | null,
): Map<string, (ClientToolCalls | null)[]> {
  const place = placeIn(asking)
  const from = messages.findLastIndex(({ role }) => role === 'user') + 1
  const doneById = new Map<string, (ClientToolCalls | null)[]>()
  for (const [at, message] of messages.entries()) {
    if (hasCalls(message)) {
      // What was answered before the user wrote again is past, and told as all of the past is.
      const done = at < from ? null : find(place.keyOf(message))
      const ids = idsOf(message)
      const sameIds = doneById.get(ids)
      if (sameIds) sameIds.push(done)
      else doneById.set(ids, [done])
    }
    place.pass(message)
  }
  return doneById
}

interface Place {
  /** Goes on behind the message. */
  pass(message: ChatMessage): void
  keyOf(calls: ChatMessage): string
}

/**
 * Endpoints give ids that are unique within one answer only. In a conversation rounds of the same ids are told apart by
 * their order since the user wrote, elsewhere by all messages before them: hashed on as it goes, so that a request is
 * read through once.
 */
function placeIn({ workspaceId, conversationId, agent }: Asking): Place {
  const text = conversationId === null ? createHash('sha256').update(line(agent.name)) : undefined
  const rounds = new Map<string, number>()
  return {
    pass(message) {
      text?.update(line([message.role, message.content ?? '']))
      if (message.role === 'user') rounds.clear()
      else if (hasCalls(message)) rounds.set(idsOf(message), (rounds.get(idsOf(message)) ?? 0) + 1)
    },
    keyOf(calls) {
      const ids = idsOf(calls)
      const where = text ? text.copy().digest('hex') : [conversationId, rounds.get(ids) ?? 0]
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
