/** Parses a streamed chat completion: text, progress of the agent, and how it ended. */
export type ChatEvent =
  | { is: 'begun'; turnId: string; model: string }
  | { is: 'text'; text: string }
  | { is: 'reasoning'; text: string }
  /** A progress message of the agent. */
  | { is: 'doing'; text: string }
  | { is: 'finish'; reason: string }
  | { is: 'usage'; promptTokens: number; completionTokens: number }
  | { is: 'failed'; code: string; message: string }
  /** The end mark; without it the answer was cut off. */
  | { is: 'done' }

/** Of one event; the service sends much smaller ones. */
const eventCharactersMax = 4 * 1_048_576

/** Splits text into events; the pieces may be cut anywhere. @throws Error past 4 million characters without an end */
export function eventSplitter(): (piece: string) => string[] {
  let buffer = ''
  return (piece) => {
    // A CR may stand at the end of one piece and its LF at the beginning of the next.
    const text = (buffer + piece).replaceAll('\r\n', '\n')
    const events = text.split('\n\n')
    buffer = events.pop() ?? ''
    if (buffer.length > eventCharactersMax) throw new Error('the service sent an event that is too long')
    return events
  }
}

/** Parses one event: comments, and chunks of a chat completion. */
export function readEvent(text: string): ChatEvent[] {
  const events: ChatEvent[] = []
  const data: string[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    else if (line.startsWith(':')) events.push({ is: 'doing', text: line.slice(1).trim() })
  }
  if (data.length === 0) return events
  const payload = data.join('\n')
  return payload === '[DONE]' ? [...events, { is: 'done' }] : [...events, ...readChunk(JSON.parse(payload) as Chunk)]
}

interface Chunk {
  id?: string
  model?: string
  choices?: {
    index?: number
    delta?: { content?: string | null; reasoning_content?: string | null; reasoning?: string | null }
    finish_reason?: string | null
  }[]
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null
  error?: { code?: string | null; message?: string }
}

function readChunk({ id, model = '', choices = [], usage, error }: Chunk): ChatEvent[] {
  if (error) return [{ is: 'failed', code: error.code ?? '', message: error.message ?? '' }]
  const events: ChatEvent[] = []
  const turnId = turnOf(id)
  if (turnId) events.push({ is: 'begun', turnId, model })
  const [choice] = choices
  const reasoning = choice?.delta?.reasoning_content ?? choice?.delta?.reasoning
  if (typeof reasoning === 'string' && reasoning !== '') events.push({ is: 'reasoning', text: reasoning })
  if (choice?.delta?.content) events.push({ is: 'text', text: choice.delta.content })
  if (choice?.finish_reason) events.push({ is: 'finish', reason: choice.finish_reason })
  if (usage)
    events.push({
      is: 'usage',
      promptTokens: usage.prompt_tokens ?? 0,
      completionTokens: usage.completion_tokens ?? 0,
    })
  return events
}

function turnOf(id: string | undefined): string | undefined {
  const found = /^chatcmpl-([0-9a-f]{32})$/.exec(id ?? '')
  return found ? `turn_${found[1]}` : undefined
}

/** The connection broke during the answer. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/** @throws ConnectionLost, and other errors if the stream cannot be parsed */
export async function* chatEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ChatEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const split = eventSplitter()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ConnectionLost('the connection broke', { cause })
      })
      for (const event of split(done ? decoder.decode() : decoder.decode(value, { stream: true })))
        yield* readEvent(event)
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined) // closed already
  }
}
