/** The features of one window of a text: places among the weights, each once. */
import { placeOf } from './word-hash.ts'

/** Places among the weights: as many as `placeOf` has. */
export const featuresMax = 1 << 16
/** No window of words has more; what comes after them is not counted. */
const windowFeaturesMax = 8_192

/** Good until the next word is read. */
export interface Window {
  readonly features: Uint16Array
  /** By feature: the word that brought it, as a number on the page. */
  readonly words: Uint32Array
  readonly count: number
}

export type OnWindow = (window: Window) => void

export interface OpenWindow {
  /** @param word that brings it */
  add(hash: number, word: number): void
  /** Tells what is in it, and empties it. */
  end(onWindow: OnWindow): void
}

export function createWindow(): OpenWindow {
  const features = new Uint16Array(windowFeaturesMax)
  const words = new Uint32Array(windowFeaturesMax)
  const isSeen = new Uint32Array(featuresMax >> 5)
  // Where modules are not bound, as in tests, each call of an imported function is a look-up before it.
  const place = placeOf
  let count = 0
  return {
    add(hash, word) {
      const feature = place(hash)
      const bit = 1 << (feature & 31)
      const seen = isSeen[feature >>> 5] ?? 0
      if ((seen & bit) !== 0 || count === windowFeaturesMax) return
      isSeen[feature >>> 5] = seen | bit
      features[count] = feature
      words[count++] = word
    },
    end(onWindow) {
      if (count > 0) onWindow({ features, words, count })
      for (let at = 0; at < count; at++) isSeen[(features[at] ?? 0) >>> 5] = 0
      count = 0
    },
  }
}
