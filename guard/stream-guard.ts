/** Watches an answer while it is streamed: a leak of the system prompt ends it, and control tokens are broken up. */
import { letterOf, watchFor } from './canary.ts'
import { begunTokenLength, withoutControlTokens } from './control-tokens.ts'

/** Never is more than this kept from the reader; a canary that is spread wider gets away. */
export const heldCharactersMax = 200

/** Of the canary's beginning this may be shown: any answer ends with a letter of it now and then, and is not to stop there. */
const suspectedMin = 4

export interface StreamGuard {
  /** @returns what may be passed on now; empty once the canary was heard */
  push(delta: string): string
  /** @returns what was held back; empty once the canary was heard */
  end(): string
  /** The canary was heard: the rest of the answer is not to be shown, nor what was shown to be stored. */
  readonly isLeaking: boolean
}

/**
 * @param canary a random mark of 8 letters and digits or more that stands in the system prompt and nowhere else;
 *   undefined: only control tokens are looked for
 * @throws CanaryRefused
 */
export function streamGuard(canary?: string): StreamGuard {
  const watch = canary === undefined ? undefined : watchFor(canary)
  let held = ''
  /** How much was passed on before it. */
  let releasedLength = 0
  /** Where in the answer the letters heard last stand, over and over. */
  const letterPlaces = new Float64Array(watch?.lettersMax ?? 0)
  let lettersHeard = 0
  let suspected = 0
  let isLeaking = false

  /** @returns false once the canary was heard */
  function hear(delta: string): boolean {
    if (!watch) return true
    const before = releasedLength + held.length
    for (let at = 0; at < delta.length; at++) {
      const letter = letterOf(delta.charCodeAt(at))
      if (letter === 0) continue
      letterPlaces[lettersHeard++ % letterPlaces.length] = before + at
      const heard = watch.hear(letter)
      if (heard === 'found') return false
      suspected = heard
    }
    return true
  }

  /** Where in what is held the canary may begin. */
  function suspectedFrom(): number {
    if (suspected < suspectedMin) return held.length
    return Math.max(0, (letterPlaces[(lettersHeard - suspected) % letterPlaces.length] ?? 0) - releasedLength)
  }

  function release(length: number): string {
    const released = held.slice(0, length)
    held = held.slice(length)
    releasedLength += length
    return withoutControlTokens(released)
  }

  return {
    push(delta) {
      if (isLeaking) return ''
      if (!hear(delta)) {
        isLeaking = true
        held = ''
        return ''
      }
      held += delta
      const from = suspectedFrom()
      // A token must not be cut where the suspicion begins: broken up it is only when it is seen whole.
      const safeTo = from - begunTokenLength(held.slice(0, from))
      return release(Math.max(safeTo, held.length - heldCharactersMax))
    },
    end() {
      return isLeaking ? '' : release(held.length)
    },
    get isLeaking() {
      return isLeaking
    },
  }
}
