/**
 * Puts the pieces of streamed tool calls where they belong. By the convention a piece names its call by a dense index and
 * the first one has id and name; endpoints leave the index out, begin it at one, repeat it for each call, or change ids.
 */
import { TextPile } from '../../runtime/text-pile.ts'
import { answerTooLarge } from '../http/failures.ts'
import { isIndex, isRecord } from '../http/fields.ts'
import { argumentsText, newCallId } from '../http/tool-calls.ts'

/** Of one choice: no model calls as many tools at once. */
const callsMax = 1_024

interface Call {
  index: number
  id: string
  name: string
  arguments: TextPile
}

interface Piece {
  index: number | undefined
  id: string
  name: string
  arguments: string
}

export class ToolCallPieces {
  readonly #calls: Call[] = []
  readonly #byIndex = new Map<number, Call>()
  readonly #byId = new Map<string, Call>()

  /** @returns the same array where every piece was in its place already. @throws ModelError `answer_too_large` */
  place(pieces: unknown[]): unknown[] {
    let isChanged = false
    const placed: unknown[] = []
    for (const [at, each] of pieces.entries()) {
      if (!isRecord(each)) {
        isChanged = true
        continue
      }
      const piece = this.#placeOne(each, pieces.length > 1 ? at : undefined)
      isChanged ||= piece !== each
      placed.push(piece)
    }
    return isChanged ? placed : pieces
  }

  #placeOne(each: Record<string, unknown>, position: number | undefined): Record<string, unknown> {
    const piece = pieceOf(each, position)
    const known = this.#callOf(piece)
    const call = known ?? this.#open(piece)
    const isRepeatedName = known !== undefined && piece.name !== '' && piece.name === known.name
    if (known && !isRepeatedName) known.name += piece.name
    call.arguments.add(piece.arguments)
    return asConvention(each, call, { isFirst: known === undefined, isRepeatedName })
  }

  /** The call that the piece continues; undefined: it begins one. */
  #callOf(piece: Piece): Call | undefined {
    if (piece.index !== undefined) return continued(this.#byIndex.get(piece.index), piece)
    const byId = this.#byId.get(piece.id)
    const last = this.#calls.at(-1)
    // Without an index the id is all there is: a new one with a name begins a call, unless the last is in the middle.
    if (!byId && piece.id !== '' && piece.name !== '' && last && !isMidway(last)) return undefined
    return continued(byId ?? last, piece)
  }

  #open(piece: Piece): Call {
    if (this.#calls.length === callsMax) throw answerTooLarge(`more than ${callsMax} tool calls`)
    // Of two calls under one id nobody could tell whose result is whose.
    const id = piece.id === '' || this.#byId.has(piece.id) ? newCallId() : piece.id
    const call = { index: this.#calls.length, id, name: piece.name, arguments: new TextPile() }
    this.#calls.push(call)
    this.#byId.set(id, call)
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call)
    return call
  }
}

function continued(call: Call | undefined, piece: Piece): Call | undefined {
  return call && !beginsAnother(call, piece) ? call : undefined
}

/** Whether a piece under the index of a call begins another call: it has a name, and the arguments of this one are complete. */
function beginsAnother(call: Call, piece: Piece): boolean {
  if (piece.name === '') return false
  if (piece.id !== '' && piece.id !== call.id && piece.name !== call.name) return true
  return (piece.name !== call.name || piece.arguments.trimStart().startsWith('{')) && isJson(call.arguments.toString())
}

function isMidway({ arguments: text }: Call): boolean {
  return text.length > 0 && !isJson(text.toString())
}

function isJson(text: string): boolean {
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}

function pieceOf(each: Record<string, unknown>, position: number | undefined): Piece {
  const { id, index, function: called } = each
  const number = typeof index === 'string' && /^\d{1,9}$/.test(index) ? Number(index) : index
  const { name, arguments: text } = isRecord(called) ? called : {}
  return {
    index: isIndex(number) ? number : position,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    arguments: argumentsText(text),
  }
}

/** The piece under its call's index, with the id in the first piece only; the same object where it is so already. */
function asConvention(
  each: Record<string, unknown>,
  call: Call,
  { isFirst, isRepeatedName }: { isFirst: boolean; isRepeatedName: boolean },
): Record<string, unknown> {
  const { id, function: called } = each
  const isIdRight = id === call.id || (!isFirst && (id === undefined || id === null))
  const text = isRecord(called) ? called['arguments'] : undefined
  const isTextRight = text === undefined || text === null || typeof text === 'string'
  if (each['index'] === call.index && isIdRight && isTextRight && !isRepeatedName) return each
  const { id: _id, ...rest } = each
  const piece: Record<string, unknown> = { ...rest, index: call.index }
  if (isFirst) piece['id'] = call.id
  if (!isRecord(called)) return piece
  const { name: _name, ...unnamed } = called
  piece['function'] = {
    ...(isRepeatedName ? unnamed : called),
    ...(!isTextRight && { arguments: argumentsText(text) }),
  }
  return piece
}
