/**
 * Puts the pieces of streamed tool calls where they belong. By the convention a piece names its call by a dense index and
 * the first one has id and name; endpoints leave the index out, begin it at one, repeat it for each call, or change ids.
 */
import { randomUUID } from 'node:crypto'
import { TextPile } from '../../runtime/text-pile.ts'
import { answerTooLarge } from '../http/failures.ts'
import { isRecord } from '../http/fields.ts'

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
  place(given: unknown[]): unknown[] {
    let isChanged = false
    const placed: unknown[] = []
    for (const [at, each] of given.entries()) {
      if (!isRecord(each)) {
        isChanged = true
        continue
      }
      const piece = this.#one(each, given.length > 1 ? at : undefined)
      isChanged ||= piece !== each
      placed.push(piece)
    }
    return isChanged ? placed : given
  }

  #one(each: Record<string, unknown>, position: number | undefined): Record<string, unknown> {
    const piece = pieceOf(each, position)
    const known = this.#callOf(piece)
    const call = known ?? this.#open(piece)
    const isRepeatedName = known !== undefined && piece.name !== '' && piece.name === known.name
    if (known && !isRepeatedName) known.name += piece.name
    call.arguments.add(piece.arguments)
    return asConvention(each, call, known !== undefined, isRepeatedName)
  }

  /** The call that the piece goes on with; undefined: it begins one. */
  #callOf(piece: Piece): Call | undefined {
    if (piece.index !== undefined) return goesOn(this.#byIndex.get(piece.index), piece)
    const named = this.#byId.get(piece.id)
    const last = this.#calls.at(-1)
    // Without an index the id is all there is: a new one with a name begins a call, unless the last is in the middle.
    if (!named && piece.id !== '' && piece.name !== '' && last && !isMidway(last)) return undefined
    return goesOn(named ?? last, piece)
  }

  #open(piece: Piece): Call {
    if (this.#calls.length === callsMax) throw answerTooLarge(`more than ${callsMax} tool calls`)
    // Two calls under one id could not be answered apart.
    const id = piece.id === '' || this.#byId.has(piece.id) ? newId() : piece.id
    const call = { index: this.#calls.length, id, name: piece.name, arguments: new TextPile() }
    this.#calls.push(call)
    this.#byId.set(id, call)
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call)
    return call
  }
}

function goesOn(call: Call | undefined, piece: Piece): Call | undefined {
  return call && !beginsAnother(call, piece) ? call : undefined
}

/** Whether a piece under the index of a call is a call of its own: it has a name, and the call before it can be over. */
function beginsAnother(call: Call, piece: Piece): boolean {
  if (piece.name === '') return false
  if (piece.id !== '' && piece.id !== call.id && piece.name !== call.name) return true
  return (piece.name !== call.name || piece.arguments.trimStart().startsWith('{')) && isJson(call.arguments.toString())
}

function isMidway({ arguments: said }: Call): boolean {
  return said.length > 0 && !isJson(said.toString())
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
  const { name, arguments: given } = isRecord(called) ? called : {}
  return {
    index: Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : position,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    arguments: argumentsText(given),
  }
}

/** Some endpoints give the arguments as the object that they are meant to be the text of. */
function argumentsText(given: unknown): string {
  if (typeof given === 'string') return given
  return given === undefined || given === null ? '' : JSON.stringify(given)
}

function asConvention(
  each: Record<string, unknown>,
  call: Call,
  isFurther: boolean,
  isRepeatedName: boolean,
): Record<string, unknown> {
  const { id, function: called } = each
  const isIdRight = isFurther ? id === undefined || id === null || id === call.id : id === call.id
  const given = isRecord(called) ? called['arguments'] : undefined
  const isTextRight = given === undefined || given === null || typeof given === 'string'
  if (each['index'] === call.index && isIdRight && isTextRight && !isRepeatedName) return each
  const { id: _id, ...rest } = each
  const piece: Record<string, unknown> = { ...rest, index: call.index }
  if (!isFurther) piece['id'] = call.id
  if (!isRecord(called)) return piece
  const { name: _name, ...unnamed } = called
  piece['function'] = {
    ...(isRepeatedName ? unnamed : called),
    ...(!isTextRight && { arguments: argumentsText(given) }),
  }
  return piece
}

/** Calls that come whole: each with an id to answer to, and its arguments as text. The same array where all is well. */
export function normalizedCalls(calls: unknown[]): unknown[] {
  if (calls.every(isWhole)) return calls
  return calls.filter(isRecord).map((call) => {
    const { id, function: called } = call
    return {
      ...call,
      id: typeof id === 'string' && id !== '' ? id : newId(),
      type: call['type'] ?? 'function',
      ...(isRecord(called) && { function: { ...called, arguments: argumentsText(called['arguments']) } }),
    }
  })
}

function isWhole(call: unknown): boolean {
  if (!isRecord(call) || typeof call['id'] !== 'string' || call['id'] === '') return false
  return !isRecord(call['function']) || typeof call['function']['arguments'] === 'string'
}

function newId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`
}
