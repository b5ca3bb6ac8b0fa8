/** Watches a streamed answer: a leak of the system prompt ends it, and control tokens are broken up. */
import { letterOf, watchForCanary } from './canary.ts'
import { partialTokenLength, withoutControlTokens } from './control-tokens.ts'

/** No more than this is withheld from the reader; a canary that is spread wider is not found. */
export const withheldCharactersMax = 200

/** A shorter beginning of the canary is passed on: any answer contains a few of its letters now and then. */
const suspectedMin = 4

export interface StreamGuard {
  /** @returns what may be passed on now; empty once the canary was found */
  push(delta: string): string
  /** @returns the withheld rest; empty once the canary was found */
  end(): string
  /** The canary was found: the rest of the answer must not be shown, and what was shown must not be stored. */
  readonly isLeaking: boolean
}

/**
 * @param canary a random mark of 8 letters and digits or more that stands in the system prompt and nowhere else;
 *   undefined: only control tokens are watched for
 * @throws CanaryRefused
 */
export function streamGuard(canary?: string): StreamGuard {
  const watch = canary === undefined ? undefined : watchForCanary(canary)
  let withheld = ''
  /** How much was passed on before `withheld`. */
  let releasedLength = 0
  /** The positions of the last letters in the answer; a ring buffer. */
  const letterPlaces = new Float64Array(watch?.lettersMax ?? 0)
  let lettersSeen = 0
  /** So many letters of the canary, from its beginning, are the last ones of the answer. */
  let suspected = 0
  let isLeaking = false

  /** @returns false: the canary was found */
  function watchFor(delta: string): boolean {
    if (!watch) return true
    const before = releasedLength + withheld.length
    for (let at = 0; at < delta.length; at++) {
      const letter = letterOf(delta.charCodeAt(at))
      if (letter === 0) continue
      letterPlaces[lettersSeen++ % letterPlaces.length] = before + at
      const found = watch.next(letter)
      if (found === 'found') return false
      suspected = found
    }
    return true
  }

  /** Where in `withheld` the canary may begin. */
  function suspectedFrom(): number {
    if (suspected < suspectedMin) return withheld.length
    return Math.max(0, (letterPlaces[(lettersSeen - suspected) % letterPlaces.length] ?? 0) - releasedLength)
  }

  function release(length: number): string {
    const released = withheld.slice(0, length)
    withheld = withheld.slice(length)
    releasedLength += length
    return withoutControlTokens(released)
  }

  return {
    push(delta) {
      if (isLeaking) return ''
      if (!watchFor(delta)) {
        isLeaking = true
        withheld = ''
        return ''
      }
      withheld += delta
      const from = suspectedFrom()
      // A token must not be cut where the suspicion begins: only a whole one is broken up.
      const safeTo = from - partialTokenLength(withheld.slice(0, from))
      return release(Math.max(safeTo, withheld.length - withheldCharactersMax))
    },
    end() {
      return isLeaking ? '' : release(withheld.length)
    },
    get isLeaking() {
      return isLeaking
    },
  }
}
