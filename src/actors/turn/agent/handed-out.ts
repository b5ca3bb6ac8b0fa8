/**
 * What a turn did before it handed calls to its client. The client sends back its own calls with their results and knows
 * nothing of the others: whoever goes on for it is told of them, lest it does again what was done.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ChatMessage } from '../../../models/transport.ts'
import type { Services } from '../../services.ts'
import type { AgentTask } from '../messages.ts'

export interface Rounds {
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
type Kept = LRUCache<string, { rounds: Rounds | null }>

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
export function keepRounds(
  services: Pick<Services, 'steps'>,
  asking: Asking,
  messages: readonly ChatMessage[],
  { calls, rounds }: { calls: ChatMessage; rounds: Rounds },
): void {
  if (rounds.before.length === 0 && rounds.results.length === 0) return
  const all = keptOf(services)
  const key = keyOf(asking, messages, calls)
  // In a conversation the last one is meant; without one there is no telling which.
  const isAmbiguous = asking.conversationId === null && all.has(key)
  all.set(key, { rounds: isAmbiguous ? null : rounds })
}

/**
 * @param messages as the client sent them, without instructions
 * @returns what stands in the place of a message with calls that were handed out; others stay as they are
 */
export function roundsBehind(
  services: Pick<Services, 'steps'>,
  asking: Asking,
  messages: readonly ChatMessage[],
): (message: ChatMessage) => ChatMessage[] {
  const places = new Map<string, ChatMessage[]>()
  const from = messages.findLastIndex(({ role }) => role === 'user') + 1
  for (const [at, message] of messages.entries()) {
    // What was answered before the user spoke again is past, and told as all of the past is.
    if (at < from || !hasCalls(message)) continue
    const rounds = keptOf(services).get(keyOf(asking, messages.slice(0, at), message))?.rounds
    if (rounds) places.set(idsOf(message), [...rounds.before, rounds.message, ...rounds.results])
  }
  return (message) => (hasCalls(message) && places.get(idsOf(message))) || [message]
}

/** Endpoints give ids that are unique within one answer only: what was said before tells turns of calls apart. */
function keyOf(
  { workspaceId, conversationId, agent }: Asking,
  before: readonly ChatMessage[],
  calls: ChatMessage,
): string {
  const where = conversationId ?? [agent.name, before.map(({ role, content }) => [role, content ?? ''])]
  return hash('sha256', JSON.stringify([workspaceId, where, idsOf(calls)]), 'hex')
}

function hasCalls({ role, tool_calls: calls }: ChatMessage): boolean {
  return role === 'assistant' && Array.isArray(calls) && calls.length > 0
}

function idsOf({ tool_calls: calls }: ChatMessage): string {
  return JSON.stringify((calls as readonly ({ id?: unknown } | null)[]).map((call) => call?.id ?? null))
}
