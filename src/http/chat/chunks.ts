/**
 * Writes `chat.completion.chunk` events. What stays the same through a stream is serialised once; a chunk of text costs
 * one JSON string.
 */
import type { ModelDelta, Usage } from '../../models/transport.ts'

export interface ChunkWriter {
  /** One delta as an event; empty where nothing goes to the client. */
  delta(delta: ModelDelta): string
  /** The chunk that closes each choice the model left open. */
  unfinished(): string
  usage(usage: Usage): string
}

export const doneEvent = 'data: [DONE]\n\n'
export const heartbeatComment = ': waiting for the model\n\n'

export function errorEvent(envelope: object): string {
  return `data: ${JSON.stringify(envelope)}\n\n`
}

export function chunkWriter(stream: { id: string; createdS: number; model: string; wantsUsage: boolean }): ChunkWriter {
  let head = headWith(stream.model)
  // With include_usage every chunk but the last says null, as the convention has it.
  const tail = stream.wantsUsage ? '],"usage":null}\n\n' : ']}\n\n'
  /** By choice: false while it is open, true when its finish_reason went out. */
  const choices = new Map<number, boolean>()
  /** What stands before the text of the choice that spoke last: chunks of text are nearly all there is. */
  let textBefore = ''
  let textChoice = -1
  const textAfter = `},"logprobs":null,"finish_reason":null}${tail}`

  function headWith(model: string): string {
    return `data: {"id":${JSON.stringify(stream.id)},"object":"chat.completion.chunk","created":${stream.createdS},"model":${JSON.stringify(model)},"choices":[`
  }

  function chunk(choice: number, delta: string, finishReason: string): string {
    return `${head}{"index":${choice},"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}${tail}`
  }

  /** The role comes first, in a chunk of its own. */
  function opening(choice: number): string {
    if (choices.has(choice)) return ''
    choices.set(choice, false)
    return chunk(choice, '{"role":"assistant","content":""}', 'null')
  }

  return {
    delta(delta) {
      switch (delta.kind) {
        case 'text':
          if (delta.choice === textChoice) return textBefore + JSON.stringify(delta.text) + textAfter
          textChoice = delta.choice
          textBefore = `${head}{"index":${delta.choice},"delta":{"content":`
          return opening(delta.choice) + textBefore + JSON.stringify(delta.text) + textAfter
        case 'raw':
          return opening(delta.choice) + chunk(delta.choice, JSON.stringify(delta.delta), 'null')
        case 'finish': {
          if (choices.get(delta.choice)) return ''
          const open = opening(delta.choice)
          choices.set(delta.choice, true)
          return open + chunk(delta.choice, '{}', JSON.stringify(delta.finishReason))
        }
        case 'model':
          head = headWith(delta.model)
          textChoice = -1
          return ''
        default:
          return delta satisfies never
      }
    },
    unfinished() {
      let text = choices.size === 0 ? opening(0) : ''
      for (const [choice, isFinished] of choices) {
        if (!isFinished) text += chunk(choice, '{}', '"stop"')
        choices.set(choice, true)
      }
      return text
    },
    usage: (usage) => `${head}],"usage":${JSON.stringify(usage)}}\n\n`,
  }
}
