/** The features of one window of a text, as indexes of weights, each once. */
import { featureOf } from './word-hash.ts'

/** As many weights as `featureOf` has values. */
export const featuresMax = 1 << 16
/** No window of words has more; further ones are not counted. */
const windowFeaturesMax = 8_192

/** Valid until the next word is read. */
export interface Window {
  readonly features: Uint16Array
  /** By feature: the word that added it, as a number on the page, ascending. */
  readonly words: Uint32Array
  readonly count: number
}

export type OnWindow = (window: Window) => void

export interface OpenWindow {
  /** @param word that adds it */
  add(hash: number, word: number): void
  /** Passes its features on, and clears it. */
  end(onWindow: OnWindow): void
  clear(): void
}

/** Few, to stay in the processor's caches: a window of ordinary words has about 300 features. */
const headsMax = 1_024

export function createWindow(): OpenWindow {
  const features = new Uint16Array(windowFeaturesMax)
  const words = new Uint32Array(windowFeaturesMax)
  /** By the lowest bits of a feature the last one that has them, and by this the one before; counted from 1. */
  const heads = new Uint16Array(headsMax)
  const before = new Uint16Array(windowFeaturesMax + 1)
  // In tests, where modules are not bundled, each call of an imported function costs a look-up.
  const place = featureOf
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
