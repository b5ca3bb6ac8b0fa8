/**
 * The calls of a streamed response, of functions and of tools that take free text, each in pieces as the chat convention has
 * them. What the events leave out is added when the item is done; any of the three ways to recognize a call (item id, call id,
 * place in the output) may be missing.
 */
import { answerTooLarge } from '../http/failures.ts'
import { type Fields, textOrBlank } from '../http/fields.ts'
import { argumentsText, newCallId } from '../http/tool-calls.ts'

/** Of one response: no model calls as many tools at once. */
const callsMax = 1_024

interface Call {
  index: number
  itemId: string
  callId: string
  place: unknown
  /** It takes free text, not arguments. */
  isCustom: boolean
  /** Characters of its arguments or its text that were passed on. */
  emittedLength: number
  isDone: boolean
}

/** One of a `tool_calls` list. */
type Piece = Record<string, unknown>

export class StreamedCalls {
  readonly #calls: Call[] = []

  get count(): number {
    return this.#calls.length
  }

  /** `response.output_item.added`: its arguments, if any, come again in pieces or when it is done. */
  itemAdded(item: Fields, place: unknown): Piece[] {
    const call = this.#withId(textOrBlank(item['id']), textOrBlank(item['call_id']))
    return call ? [] : [this.#open(item, place)]
  }

  /** `response.output_item.done`: what of the call was not passed on yet. */
  itemDone(item: Fields, place: unknown): Piece[] {
    const existing =
      this.#withId(textOrBlank(item['id']), textOrBlank(item['call_id'])) ??
      // Under another id than it began with, or another call where all places are the same.
      this.#calls.find((call) => place !== undefined && call.place === place && !call.isDone)
    const opening = existing ? [] : [this.#open(item, place)]
    const call = existing ?? this.#calls.at(-1)
    if (!call) return opening
    call.isDone = true
    return [...opening, ...this.#rest(call, textOfCall(item))]
  }

  /** The items of the last event: what was in no event before it. */
  remainingOf(items: readonly Fields[]): Piece[] {
    const hasMore = items.length > this.#calls.length
    return items.flatMap((item) => {
      const call = this.#withId(textOrBlank(item['id']), textOrBlank(item['call_id']))
      if (call) return this.#rest(call, textOfCall(item))
      return hasMore ? this.itemDone(item, undefined) : []
    })
  }

  /** `response.function_call_arguments.delta`, `response.custom_tool_call_input.delta`. */
  argumentsDelta(event: Fields): Piece[] {
    const call = this.#callOf(event)
    const text = textOrBlank(event['delta'])
    // Where there is no call yet, the item itself brings its arguments when it is done.
    if (!call || text === '') return []
    call.emittedLength += text.length
    return [piece(call, text)]
  }

  /** `response.function_call_arguments.done`, `response.custom_tool_call_input.done`. */
  argumentsDone(event: Fields): Piece[] {
    const call = this.#callOf(event)
    return call ? this.#rest(call, textOfCall(event)) : []
  }

  #rest(call: Call, whole: string): Piece[] {
    const rest = whole.slice(call.emittedLength)
    call.emittedLength += rest.length
    return rest === '' ? [] : [piece(call, rest)]
  }

  #callOf(event: Fields): Call | undefined {
    const place = event['output_index']
    return (
      this.#withId(textOrBlank(event['item_id']), '') ??
      this.#calls.findLast((call) => place !== undefined && call.place === place) ??
      this.#calls.at(-1)
    )
  }

  #withId(itemId: string, callId: string): Call | undefined {
    return this.#calls.findLast(
      (call) => (callId !== '' && call.callId === callId) || (itemId !== '' && call.itemId === itemId),
    )
  }

  #open(item: Fields, place: unknown): Piece {
    if (this.#calls.length === callsMax) throw answerTooLarge(`more than ${callsMax} tool calls`)
    const itemId = textOrBlank(item['id'])
    const callId = textOrBlank(item['call_id']) || itemId || newCallId()
    const isCustom = item['type'] === 'custom_tool_call'
    const call: Call = { index: this.#calls.length, itemId, callId, place, isCustom, emittedLength: 0, isDone: false }
    this.#calls.push(call)
    const name = textOrBlank(item['name'])
    const opened = { index: call.index, id: call.callId }
    if (isCustom) return { ...opened, type: 'custom', custom: { name, input: '' } }
    return { ...opened, type: 'function', function: { name, arguments: '' } }
  }
}

export const isCallItem = ({ type }: Fields): boolean => type === 'function_call' || type === 'custom_tool_call'

/** Of an item or the last event of its text. */
const textOfCall = ({ input, arguments: text }: Fields): string =>
  typeof input === 'string' ? input : argumentsText(text)

const piece = ({ index, isCustom }: Call, text: string): Piece =>
  isCustom ? { index, custom: { input: text } } : { index, function: { arguments: text } }
