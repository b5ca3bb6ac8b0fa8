/** The playground's conversation, and the request that continues it. */
import type { Answer, Body } from '../../api/types.ts'

export interface Setup {
  /** An agent or a model. */
  model: string
  system: string
  /** As typed; empty: the service's own. */
  temperature: string
  maxTokens: string
}

export interface Question {
  by: 'user'
  id: string
  text: string
}

export type Cost = NonNullable<Answer<'GET /v1/admin/turns'>['items'][number]['cost']>

/** cut: the connection ended, or the page was left, before the answer did. */
type AnswerState = 'running' | 'done' | 'cancelled' | 'failed' | 'cut'

export interface AnswerItem {
  by: 'agent'
  id: string
  /** The request id, by which its turn is found. */
  requestId: string
  /** What was chosen: an agent or a model. */
  model: string
  /** The model that answered, as its endpoint or its turn says; empty: not known. */
  answeredBy: string
  /** What was to be asked and no endpoint has: another model answered. */
  missing: string | null
  state: AnswerState
  text: string
  reasoning: string
  /** The newest progress message of the agent. */
  doing: string
  turnId: string | null
  finishReason: string | null
  tokens: { prompt: number; completion: number } | null
  /** From the request to the first of its text or reasoning. */
  firstTokenMs: number | null
  durationMs: number | null
  /** Of its turn, with its sub-agents; null: not known, or without a price. */
  cost: Cost | null
  /** Status 0: the service was not reached; 200: the error was in the stream, or the stream is unreadable. */
  failure: { code: string; message: string; requestId: string; status: number } | null
}

export type Item = Question | AnswerItem

/** Which of two that are compared; without a comparison there is the first alone. */
export type SideName = 'first' | 'second'

export interface Conversation {
  setup: Setup
  items: Item[]
  /** Another agent or model, beside the first: it is sent the same, with the same options. */
  second: { model: string; items: Item[] } | null
  /** The unsent message. */
  draft: string
}

export const emptyConversation: Conversation = {
  setup: { model: '', system: '', temperature: '', maxTokens: '' },
  items: [],
  second: null,
  draft: '',
}

export const itemsOf = ({ items, second }: Conversation, side: SideName): readonly Item[] =>
  side === 'first' ? items : (second?.items ?? [])

/** The options of a side: all but the model are the same. */
export const setupOf = ({ setup, second }: Conversation, side: SideName): Setup =>
  side === 'second' && second ? { ...setup, model: second.model } : setup

export function withItems(conversation: Conversation, side: SideName, items: Item[]): Conversation {
  if (side === 'first') return { ...conversation, items }
  return conversation.second ? { ...conversation, second: { ...conversation.second, items } } : conversation
}

/** `crypto.randomUUID` is missing on pages over plain HTTP. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export function newAnswer(model: string): AnswerItem {
  return {
    by: 'agent',
    id: newId(),
    requestId: `playground-${newId()}`,
    model,
    answeredBy: '',
    missing: null,
    state: 'running',
    text: '',
    reasoning: '',
    doing: '',
    turnId: null,
    finishReason: null,
    tokens: null,
    firstTokenMs: null,
    durationMs: null,
    cost: null,
    failure: null,
  }
}

/** Sends the whole conversation each time: the service stores only the turn. Empty answers are left out. */
export function requestOf(setup: Setup, items: readonly Item[]): Body<'POST /v1/chat/completions'> {
  const temperature = numberOf(setup.temperature)
  const maxTokens = numberOf(setup.maxTokens)
  return {
    model: setup.model,
    messages: [
      ...(setup.system.trim() === '' ? [] : [{ role: 'system' as const, content: setup.system }]),
      ...items.flatMap((item): { role: 'user' | 'assistant'; content: string }[] => {
        if (item.by === 'user') return [{ role: 'user', content: item.text }]
        return item.text === '' ? [] : [{ role: 'assistant', content: item.text }]
      }),
    ],
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  }
}

function numberOf(text: string): number | undefined {
  const number = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number
}

/** The names of the fields that cannot be sent as they are. */
export function wrongFields({ temperature, maxTokens }: Setup): ('temperature' | 'maxTokens')[] {
  const degrees = numberOf(temperature)
  const tokens = numberOf(maxTokens)
  const isWarm = temperature.trim() === '' || (degrees !== undefined && degrees >= 0 && degrees <= 2)
  const isCount = maxTokens.trim() === '' || (tokens !== undefined && Number.isInteger(tokens) && tokens >= 1)
  return [...(isWarm ? [] : (['temperature'] as const)), ...(isCount ? [] : (['maxTokens'] as const))]
}

/** The same request as a curl command, quoted for a shell. */
export function curlOf(base: string, body: object): string {
  const quoted = `'${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`
  return `curl -sN ${base}/v1/chat/completions \\
  -H "authorization: Bearer $SERVICE_KEY" \\
  -H 'content-type: application/json' \\
  -d ${quoted}`
}

/** Those that are asked. */
export const sidesOf = ({ second }: Conversation): SideName[] => (second ? ['first', 'second'] : ['first'])

/** The answer at the end, if it is one. */
export function lastAnswer(items: readonly Item[]): AnswerItem | undefined {
  const last = items.at(-1)
  return last?.by === 'agent' ? last : undefined
}

export const isRunningIn = (items: readonly Item[]): boolean => lastAnswer(items)?.state === 'running'
