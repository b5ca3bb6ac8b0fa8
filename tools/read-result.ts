/** The tool `read_result`: reads on in a result that was too long for the model. */
import { z } from 'zod'
import { defineTool, ToolFailed, type ToolMaker } from './tool.ts'

/** Reserved for the line above the text, so that a full page is not itself cut. */
const headCharactersMax = 250

export const readResult: ToolMaker = ({ settings }) =>
  defineTool({
    name: 'read_result',
    description:
      'Reads on in a tool result of this turn that was too long to be shown whole. ' +
      'Use it where a result says that characters were left out, and only for what the task needs.',
    arguments: z.strictObject({
      call_id: z
        .string()
        .min(1)
        .max(128)
        .describe('The call whose result is read, as the note in the result names it.'),
      offset: z.int().min(0).default(0).describe('The character to begin at, counted from 0.'),
    }),
    risk: 'read',
    idempotency: 'repeatable',
    timeoutMs: 10_000,
    // Its text may come from any tool.
    isUntrusted: true,
    async run({ turn }, { call_id: callId, offset }) {
      const text = await turn.result(callId)
      if (text === undefined) {
        throw new ToolFailed(
          'not_found',
          'This turn has no result of that call. Results of earlier turns cannot be read any more: call the tool again.',
        )
      }
      if (offset >= text.length) {
        throw new ToolFailed('past_end', `The result has ${text.length} characters: the offset has to be below that.`)
      }
      return page(callId, text, offset, settings.get('SERVICE_AGENT_RESULT_CHARS') - headCharactersMax)
    },
  })

function page(callId: string, text: string, offset: number, charactersMax: number): string {
  const from = betweenCharacters(text, offset)
  const to = betweenCharacters(text, Math.min(from + charactersMax, text.length))
  const rest = to < text.length ? `read on with offset ${to}` : 'this is its end'
  return `[Characters ${from} to ${to} of ${text.length} of the result of ${callId}; ${rest}.]\n${text.slice(from, to)}`
}

/** Not inside a surrogate pair: before it. */
function betweenCharacters(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  const isInside = unit >= 0xdc00 && unit <= 0xdfff && at > 0 && isHigh(text.charCodeAt(at - 1))
  return isInside ? at - 1 : at
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
