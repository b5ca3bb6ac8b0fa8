/**
 * Tokens of messages, each message counted once: a conversation that stays in memory is not counted again.
 * Parts that are no text are estimated by a rule, since models differ too much to do better.
 */
import { LRUCache } from 'lru-cache'
import type { ChatMessage, ContentPart } from '../../../models/transport.ts'
import type { TokenCounter } from '../../../models/usage.ts'

/** Of each message: its role and the marks around it. */
const markTokens = 4

/** An image in tiles costs at most 1,445 with some makers and about 1,600 with others; one of low detail 85. */
const imageTokens = 1_600
const lowDetailTokens = 85

/** A second of speech is 32 tokens at most, and seldom fewer than 16 KB. */
const audioTokensPerKb = 2

/** A page of a document is some 3,000 tokens with its picture, and seldom fewer than 50 KB. */
const fileTokensPerKb = 60

/** Of one message to the thread that counts, and of one batch of them. */
const batchCharactersMax = 262_144
const batchMessagesMax = 128

const textCharactersMax = 2_097_152

export interface MessageTokens {
  /** One count for each message. Never rejects. */
  count(messages: readonly ChatMessage[]): Promise<number[]>
  /** Not below the count, and had without counting: no token is shorter than a byte. */
  upperBound(message: ChatMessage): number
  /** Never rejects. */
  countText(text: string): Promise<number>
}

interface Measured {
  atMost: number
  count?: number
}

export function messageTokens(counter: TokenCounter): MessageTokens {
  const measuredMessages = new WeakMap<ChatMessage, Measured>()
  /** System prompts with their tools, the same for an hour. */
  const texts = new LRUCache<string, number>({
    maxSize: textCharactersMax,
    sizeCalculation: (_, text) => text.length + 1,
  })

  function measured(message: ChatMessage): Measured {
    let found = measuredMessages.get(message)
    if (!found) {
      const { text, tokens } = countable(message)
      found = { atMost: Buffer.byteLength(text) + tokens }
      measuredMessages.set(message, found)
    }
    return found
  }

  async function count(batch: readonly ChatMessage[]): Promise<void> {
    const parts = batch.map(countable)
    const counts = await counter.count(parts.map(({ text }) => text))
    for (const [at, message] of batch.entries()) measured(message).count = (counts[at] ?? 0) + (parts[at]?.tokens ?? 0)
  }

  return {
    async count(messages) {
      const unknown = new Set(messages.filter((message) => measured(message).count === undefined))
      for (const batch of batchesOf([...unknown], (message) => measured(message).atMost)) await count(batch)
      return messages.map((message) => measured(message).count ?? measured(message).atMost)
    },
    upperBound: (message) => measured(message).atMost,
    async countText(text) {
      let tokens = texts.get(text)
      if (tokens === undefined) {
        tokens = (await counter.count([text]))[0] ?? 0
        texts.set(text, tokens)
      }
      return tokens
    },
  }
}

function* batchesOf(messages: readonly ChatMessage[], size: (message: ChatMessage) => number): Iterable<ChatMessage[]> {
  let batch: ChatMessage[] = []
  let characters = 0
  for (const message of messages) {
    if (batch.length > 0 && (batch.length >= batchMessagesMax || characters + size(message) > batchCharactersMax)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(message)
    characters += size(message)
  }
  if (batch.length > 0) yield batch
}

/** The text of a message that a tokenizer counts, and the tokens of what it cannot. */
function countable(message: ChatMessage): { text: string; tokens: number } {
  const { role, content, ...fields } = message
  const texts = [role]
  let tokens = markTokens
  if (typeof content === 'string') texts.push(content)
  else if (Array.isArray(content)) {
    for (const part of content as readonly ContentPart[]) {
      const estimate = tokensOfPart(part)
      if (estimate !== undefined) tokens += estimate
      else texts.push(typeof part.text === 'string' ? part.text : JSON.stringify(part))
    }
  }
  // Tool calls, the id that a result answers, reasoning that is handed back.
  if (Object.keys(fields).length > 0) texts.push(JSON.stringify(fields))
  return { text: texts.join('\n'), tokens }
}

/** @returns undefined for what is counted as text */
function tokensOfPart(part: ContentPart): number | undefined {
  switch (part.type) {
    case 'image_url':
      return isOfLowDetail(part['image_url']) ? lowDetailTokens : imageTokens
    case 'input_audio':
      return Math.ceil(kilobytesIn(part['input_audio'], 'data') * audioTokensPerKb)
    case 'file':
      return Math.ceil(kilobytesIn(part['file'], 'file_data') * fileTokensPerKb)
    default:
      return undefined
  }
}

function isOfLowDetail(image: unknown): boolean {
  return typeof image === 'object' && image !== null && 'detail' in image && image.detail === 'low'
}

/** Of base64, in which four characters are three bytes. */
function kilobytesIn(holder: unknown, field: string): number {
  const data = typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>)[field] : undefined
  return typeof data === 'string' ? (data.length * 3) / 4 / 1_024 : 0
}
