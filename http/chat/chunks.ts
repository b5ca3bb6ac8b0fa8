/**
 * Writes `chat.completion.chunk` events. What stays the same through a stream is serialised once; a chunk of text costs
 * one JSON string.
 */
import type { TurnDelta } from '../../actors/turn/messages.ts'
import type { ModelDelta, Usage } from '../../models/transport.ts'

export interface ChunkWriter {
  /** One delta as an event; empty where nothing goes to the client. */
  delta(delta: TurnDelta): string
  /** The chunk that closes each choice the model left open. */
  unfinished(): string
  usage(usage: Usage): string
}

/** Of one comment about an agent's progress. */
const progressCharactersMax = 200

export const doneEvent = 'data: [DONE]\n\n'
export const heartbeatComment = ': waiting for the model\n\n'

/** Extra fields of the model that OpenAI's API has on every chunk; any other is sent once, with the first chunk. */
const everyChunk = new Set(['service_tier', 'system_fingerprint'])

export function errorEvent(envelope: object): string {
  return `data: ${JSON.stringify(envelope)}\n\n`
}

export function chunkWriter(stream: { id: string; createdS: number; model: string; wantsUsage: boolean }): ChunkWriter {
  let head = headWith(stream.model, {})
  const repeated: Record<string, unknown> = {}
  /** Fields that go out with the next chunk alone, and its head. */
  let once: Record<string, unknown> = {}
  let headOnce = head
  // With include_usage, OpenAI's API has `usage: null` on every chunk but the last.
  const tail = stream.wantsUsage ? '],"usage":null}\n\n' : ']}\n\n'
  /** By choice: false while it is open, true when its finish_reason went out. */
  const choices = new Map<number, boolean>()
  /** The beginning of a text chunk of the last choice, kept because nearly all chunks are text. */
  let textBefore = ''
  let textChoice = -1
  const textAfter = `},"logprobs":null,"finish_reason":null}${tail}`

  function headWith(model: string, extra: Record<string, unknown>): string {
    const { id, createdS: created } = stream
    const fields = JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...extra })
    return `data: ${fields.slice(0, -1)},"choices":[`
  }

  function begin(model: string, extra: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(extra)) if (everyChunk.has(name)) repeated[name] = value
    // What came before and has not gone out yet goes out with it.
    Object.assign(once, extra)
    head = headWith(model, repeated)
    headOnce = headWith(model, { ...repeated, ...once })
    textChoice = -1
  }

  function takeHead(): string {
    const first = headOnce
    if (headOnce !== head) {
      headOnce = head
      once = {}
    }
    return first
  }

  /** @param finishReason as JSON */
  function chunk(choice: number, delta: string, more: { finishReason?: string; logprobs?: unknown; fields?: object }) {
    const { finishReason = 'null', logprobs = null, fields } = more
    const beside = fields ? `,${JSON.stringify(fields).slice(1, -1)}` : ''
    const end = `"logprobs":${JSON.stringify(logprobs)},"finish_reason":${finishReason}${beside}`
    return `${takeHead()}{"index":${choice},"delta":${delta},${end}}${tail}`
  }

  /** One chunk per piece of the model. */
  function textChunks({ text, pieces }: ModelDelta & { kind: 'text' }): string {
    if (!pieces) return textBefore + JSON.stringify(text) + textAfter
    return `${textBefore}"${pieces.join(`"${textAfter}${textBefore}"`)}"${textAfter}`
  }

  /** The role comes first, and only once: some clients concatenate the strings of all deltas. */
  function raw({ choice, delta, logprobs, fields }: ModelDelta & { kind: 'raw' }): string {
    const { role, ...rest } = delta
    const isOpening = role === 'assistant' && !choices.has(choice)
    if (isOpening) choices.set(choice, false)
    const more = { logprobs, ...(fields && { fields }) }
    return opening(choice) + chunk(choice, JSON.stringify(isOpening ? delta : rest), more)
  }

  /** A chunk with the role, unless the choice has sent it. */
  function opening(choice: number): string {
    if (choices.has(choice)) return ''
    choices.set(choice, false)
    return chunk(choice, '{"role":"assistant","content":""}', {})
  }

  /** Fields of the model that no chunk has taken along: one without a choice. */
  const late = (): string => (headOnce === head ? '' : takeHead() + tail)

  return {
    delta(delta) {
      switch (delta.kind) {
        case 'text': {
          if (delta.choice === textChoice) return textChunks(delta)
          textChoice = delta.choice
          textBefore = `${head}{"index":${delta.choice},"delta":{"content":`
          return opening(delta.choice) + late() + textChunks(delta)
        }
        case 'raw':
          return raw(delta)
        case 'finish': {
          if (choices.get(delta.choice)) return ''
          const open = opening(delta.choice)
          choices.set(delta.choice, true)
          return open + chunk(delta.choice, '{}', { finishReason: JSON.stringify(delta.finishReason) })
        }
        case 'progress':
          return `: ${delta.words.replaceAll(/[\r\n]+/g, ' ').slice(0, progressCharactersMax)}\n\n`
        case 'model':
          begin(delta.model, delta.extra)
          return ''
        case 'accepted':
          return ''
        default:
          return delta satisfies never
      }
    },
    unfinished() {
      let text = choices.size === 0 ? opening(0) : ''
      for (const [choice, isFinished] of choices) {
        if (!isFinished) text += chunk(choice, '{}', { finishReason: '"stop"' })
        choices.set(choice, true)
      }
      return stream.wantsUsage ? text : text + late()
    },
    usage: (usage) => `${takeHead()}],"usage":${JSON.stringify(usage)}}\n\n`,
  }
}
