/** The features of one window of a text: places among the weights, each once. */
import { placeOf } from './word-hash.ts'

/** Places among the weights: as many as `placeOf` has. */
export const featuresMax = 1 << 16
/** No window of words has more; what comes after them is not counted. */
const windowFeaturesMax = 8_192

/** Good until the next word is read. */
export interface Window {
  readonly features: Uint16Array
  /** By feature: the word that brought it, as a number on the page; they rise. */
  readonly words: Uint32Array
  readonly count: number
}

export type OnWindow = (window: Window) => void

export interface OpenWindow {
  /** @param word that brings it */
  add(hash: number, word: number): void
  /** Tells what is in it, and empties it. */
  end(onWindow: OnWindow): void
  clear(): void
}

/** Few, so that they stay together in the processor's caches: a window of ordinary words has about 300 features. */
const headsMax = 1_024

export function createWindow(): OpenWindow {
  const features = new Uint16Array(windowFeaturesMax)
  const words = new Uint32Array(windowFeaturesMax)
  /** By the lowest bits of a feature the last one that has them, and by this the one before; counted from 1. */
  const heads = new Uint16Array(headsMax)
  const before = new Uint16Array(windowFeaturesMax + 1)
  // Where modules are not bound, as in tests, each call of an imported function is a look-up before it.
  const place = placeOf
  let count = 0

  function clear(): void {
    if (count === 0) return
    heads.fill(0)
    count = 0
  }

  return {
    add(hash, word) {
      const feature = place(hash)
      const last = heads[feature & (headsMax - 1)] ?? 0
      for (let known = last; known !== 0; known = before[known] ?? 0) if (features[known - 1] === feature) return
      if (count === windowFeaturesMax) return
      features[count] = feature
      words[count++] = word
      before[count] = last
      heads[feature & (headsMax - 1)] = count
    },
    end(onWindow) {
      if (count > 0) onWindow({ features, words, count })
      clear()
    },
    clear,
  }
}
