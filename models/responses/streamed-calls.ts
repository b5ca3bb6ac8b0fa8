/**
 * The function calls of a streamed response, each in pieces as the chat convention has them. What the events leave out is
 * added when the item is done; any of the three ways to recognize a call (item id, call id, place in the output) may be missing.
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
  /** Characters of its arguments that were passed on. */
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
    return [...opening, ...this.#rest(call, argumentsText(item['arguments']))]
  }

  /** The items of the last event: what was in no event before it. */
  remainingOf(items: readonly Fields[]): Piece[] {
    const hasMore = items.length > this.#calls.length
    return items.flatMap((item) => {
      const call = this.#withId(textOrBlank(item['id']), textOrBlank(item['call_id']))
      if (call) return this.#rest(call, argumentsText(item['arguments']))
      return hasMore ? this.itemDone(item, undefined) : []
    })
  }

  /** `response.function_call_arguments.delta`. */
  argumentsDelta(event: Fields): Piece[] {
    const call = this.#callOf(event)
    const text = textOrBlank(event['delta'])
    // Where there is no call yet, the item itself brings its arguments when it is done.
    if (!call || text === '') return []
    call.emittedLength += text.length
    return [{ index: call.index, function: { arguments: text } }]
  }

  /** `response.function_call_arguments.done`. */
  argumentsDone(event: Fields): Piece[] {
    const call = this.#callOf(event)
    return call ? this.#rest(call, argumentsText(event['arguments'])) : []
  }

  #rest(call: Call, whole: string): Piece[] {
    const rest = whole.slice(call.emittedLength)
    call.emittedLength += rest.length
    return rest === '' ? [] : [{ index: call.index, function: { arguments: rest } }]
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
    const call: Call = { index: this.#calls.length, itemId, callId, place, emittedLength: 0, isDone: false }
    this.#calls.push(call)
    const called = { name: textOrBlank(item['name']), arguments: '' }
    return { index: call.index, id: call.callId, type: 'function', function: called }
  }
}
