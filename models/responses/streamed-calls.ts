/**
 * The function calls of a streamed response, each told in pieces as the chat convention has them. What events leave out is
 * made up for when the item is done; what a call is known by (item id, call id, place in the output) may be missing.
 */
import { randomUUID } from 'node:crypto'
import { answerTooLarge } from '../http/failures.ts'
import type { Fields } from '../http/fields.ts'
import { textIn } from './answer.ts'

/** Of one response: no model calls as many tools at once. */
const callsMax = 1_024

interface Call {
  index: number
  itemId: string
  callId: string
  place: unknown
  /** Characters of its arguments that were told. */
  toldLength: number
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
    const known = this.#named(textIn(item['id']), textIn(item['call_id']))
    return known ? [] : [this.#open(item, place)]
  }

  /** `response.output_item.done`: what of the call is not told yet. */
  itemDone(item: Fields, place: unknown): Piece[] {
    const known =
      this.#named(textIn(item['id']), textIn(item['call_id'])) ??
      // Under another name than it began with, or another call where all places are the same.
      this.#calls.find((call) => place !== undefined && call.place === place && !call.isDone)
    const opened = known ? [] : [this.#open(item, place)]
    const call = known ?? this.#calls.at(-1)
    if (!call) return opened
    call.isDone = true
    return [...opened, ...this.#rest(call, argumentsIn(item['arguments']))]
  }

  /** The items of the last event: what was in no event before it. */
  remainingOf(items: readonly Fields[]): Piece[] {
    const hasMore = items.length > this.#calls.length
    return items.flatMap((item) => {
      const known = this.#named(textIn(item['id']), textIn(item['call_id']))
      if (known) return this.#rest(known, argumentsIn(item['arguments']))
      return hasMore ? this.itemDone(item, undefined) : []
    })
  }

  /** `response.function_call_arguments.delta`. */
  argumentsDelta(event: Fields): Piece[] {
    const call = this.#of(event)
    const text = textIn(event['delta'])
    // Without a call to go to, the item itself will bring them when it is done.
    if (!call || text === '') return []
    call.toldLength += text.length
    return [{ index: call.index, function: { arguments: text } }]
  }

  /** `response.function_call_arguments.done`. */
  argumentsDone(event: Fields): Piece[] {
    const call = this.#of(event)
    return call ? this.#rest(call, argumentsIn(event['arguments'])) : []
  }

  #rest(call: Call, all: string): Piece[] {
    const rest = all.slice(call.toldLength)
    call.toldLength += rest.length
    return rest === '' ? [] : [{ index: call.index, function: { arguments: rest } }]
  }

  #of(event: Fields): Call | undefined {
    const place = event['output_index']
    return (
      this.#named(textIn(event['item_id']), '') ??
      this.#calls.findLast((call) => place !== undefined && call.place === place) ??
      this.#calls.at(-1)
    )
  }

  #named(itemId: string, callId: string): Call | undefined {
    return this.#calls.findLast(
      (call) => (callId !== '' && call.callId === callId) || (itemId !== '' && call.itemId === itemId),
    )
  }

  #open(item: Fields, place: unknown): Piece {
    if (this.#calls.length === callsMax) throw answerTooLarge(`more than ${callsMax} tool calls`)
    const itemId = textIn(item['id'])
    const callId = textIn(item['call_id']) || itemId || `call_${randomUUID().replaceAll('-', '')}`
    const call: Call = { index: this.#calls.length, itemId, callId, place, toldLength: 0, isDone: false }
    this.#calls.push(call)
    const called = { name: textIn(item['name']), arguments: '' }
    return { index: call.index, id: call.callId, type: 'function', function: called }
  }
}

function argumentsIn(given: unknown): string {
  return given === undefined || given === null || typeof given === 'string' ? textIn(given) : JSON.stringify(given)
}
