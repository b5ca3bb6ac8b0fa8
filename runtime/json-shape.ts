/**
 * Bounds the shape of a JSON text before it is parsed. Of a body of some megabytes, a million fields cost the event loop
 * seconds: in JSON.parse, in validation and in every copy. And JSON.parse accepts a million levels, but recursive code that
 * walks the result overflows the stack at a few thousand.
 */

export interface JsonBounds {
  depthMax: number
  /** Objects, arrays, texts, numbers of the whole body. */
  valuesMax: number
  fieldsMax: number
  fieldsOfObjectMax: number
}

export const jsonBounds: JsonBounds = { depthMax: 64, valuesMax: 100_000, fieldsMax: 40_000, fieldsOfObjectMax: 1_000 }

/** The shortest value is `1,`, the shortest field `"":1,`: a shorter text exceeds none of the bounds but the depth. */
const bytesOfBounds = ({ valuesMax, fieldsMax, fieldsOfObjectMax }: JsonBounds): number =>
  Math.min(valuesMax * 2, Math.min(fieldsMax, fieldsOfObjectMax) * 5)

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openArray = 0x5b
const backslash = 0x5c
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Strings are read byte by byte up to this length, then from quote to quote. */
const shortString = 64

/** What is too much of a text in one piece; undefined: nothing. */
export function excessOf(bytes: Buffer, bounds = jsonBounds): string | undefined {
  if (bytes.length <= bytesOfBounds(bounds) && hasFewOpenings(bytes, bounds.depthMax)) return undefined
  return new JsonScanner(bounds).take(bytes, 0, bytes.length)
}

/** A fast first check: most bodies have fewer opening brackets in all than the limit allows levels. */
function hasFewOpenings(bytes: Buffer, max: number): boolean {
  let left = max
  for (const opening of [openObject, openArray]) {
    for (let at = bytes.indexOf(opening); at >= 0; at = bytes.indexOf(opening, at + 1)) {
      if (--left < 0) return false
    }
  }
  return true
}

/**
 * Counts in one linear pass, piece by piece. Brackets in strings do not count. The result for text that is not JSON does
 * not matter: the parser refuses it.
 */
export class JsonScanner {
  #depth = 0
  #isInString = false
  #isEscaped = false
  #values = 1
  #fields = 0
  readonly #fieldsAt: Uint32Array
  readonly #bounds: JsonBounds

  constructor(bounds = jsonBounds) {
    this.#bounds = bounds
    this.#fieldsAt = new Uint32Array(bounds.depthMax + 1)
  }

  /** Another body: everything begins anew. */
  restart(): void {
    this.nextText()
    this.#values = 1
    this.#fields = 0
  }

  /** The text goes on in another line, and no string does. */
  nextLine(): void {
    this.#isInString = false
    this.#isEscaped = false
  }

  /** The next text of several in one body: the counts go on, the nesting begins anew. */
  nextText(): void {
    this.#depth = 0
    this.#fieldsAt[0] = 0
    this.nextLine()
    this.#values++
  }

  /** @returns what is too much */
  take(bytes: Buffer, from: number, to: number): string | undefined {
    const { depthMax, valuesMax } = this.#bounds
    for (let at = from; at < to; at++) {
      if (this.#isInString) {
        at = this.#endOfString(bytes, at, to)
        continue
      }
      const byte = bytes[at]
      if (byte === quote) {
        this.#isInString = true
      } else if (byte === comma) {
        if (++this.#values > valuesMax) return `has more than ${valuesMax} values`
      } else if (byte === colon) {
        const excess = this.#countField()
        if (excess) return excess
      } else if (byte === openObject || byte === openArray) {
        if (++this.#depth > depthMax) return `nests deeper than ${depthMax} levels`
        if (++this.#values > valuesMax) return `has more than ${valuesMax} values`
        this.#fieldsAt[this.#depth] = 0
      } else if ((byte === closeObject || byte === closeArray) && this.#depth > 0) {
        this.#depth--
      }
    }
    return undefined
  }

  #countField(): string | undefined {
    const { fieldsMax, fieldsOfObjectMax } = this.#bounds
    if (++this.#fields > fieldsMax) return `has more than ${fieldsMax} fields`
    const fields = (this.#fieldsAt[this.#depth] ?? 0) + 1
    this.#fieldsAt[this.#depth] = fields
    return fields > fieldsOfObjectMax ? `has an object of more than ${fieldsOfObjectMax} fields` : undefined
  }

  /** @returns the place of the closing quote, or the last place of this piece */
  #endOfString(bytes: Buffer, from: number, to: number): number {
    let at = from
    for (;;) {
      const slowTo = Math.min(to, at + shortString)
      for (; at < slowTo; at++) {
        const byte = bytes[at]
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === backslash) this.#isEscaped = true
        else if (byte === quote) {
          this.#isInString = false
          return at
        }
      }
      if (at === to) return to - 1
      // A long string: on to the next quote, and back over the backslashes before it.
      const next = bytes.indexOf(quote, at)
      const jump = next < 0 || next > to ? to : next
      let escapes = 0
      while (jump - 1 - escapes >= at && bytes[jump - 1 - escapes] === backslash) escapes++
      // Escaped backslashes come in pairs; one that stood before `at` belongs to the run only if the run began there.
      if (escapes === jump - at && this.#isEscaped) escapes++
      this.#isEscaped = escapes % 2 === 1
      at = jump
      if (at === to) return to - 1
    }
  }
}
