/** Tells the families of a word from the hashes of its beginnings, in a table of a few kilobytes. */
import { hashOf, placeOf } from './word-hash.ts'

/** Beginnings are three to eight letters long: `instruct*`. */
export const beginningLettersMin = 3
export const beginningLettersMax = 8

export interface FamilyTable {
  /**
   * @param hash of the whole word
   * @param beginnings the hashes of its first letters, by their number
   * @returns the place of its first family in `lists`; 0: it has none
   */
  find(hash: number, beginnings: Int32Array, letters: number): number
  /** Families of one word behind each other, ended by `noFamily`. */
  readonly lists: Uint8Array
  readonly names: readonly string[]
}

export const noFamily = 255
const beginnersMax = 4_096

export function buildFamilyTable(families: Readonly<Record<string, string>>): FamilyTable {
  const names = Object.keys(families)
  if (names.length >= noFamily) throw new RangeError(`${names.length} families do not fit into a byte`)
  const words = new Map<number, number[]>()
  const beginnings = new Map<number, number[]>()
  const isBegun = new Uint8Array(beginnersMax)
  for (const [number, name] of names.entries()) {
    for (const written of (families[name] ?? '').split(/\s+/).filter((word) => word !== '')) {
      const isBeginning = written.endsWith('*')
      const letters = isBeginning ? written.slice(0, Math.min(written.length - 1, beginningLettersMax)) : written
      if (isBeginning && letters.length < beginningLettersMin)
        throw new RangeError(`"${written}" is too short a beginning`)
      isBegun[placeOf(hashOf(letters.slice(0, beginningLettersMin))) & (beginnersMax - 1)] = 1
      const known = isBeginning ? beginnings : words
      const hash = hashOf(letters)
      const list = known.get(hash)
      if (!list) known.set(hash, [number])
      else if (!list.includes(number)) list.push(number)
    }
  }
  const lists: number[] = [noFamily]
  const placed = (known: ReadonlyMap<number, number[]>) => {
    const places = new Map<number, number>()
    for (const [hash, list] of known) {
      places.set(hash, lists.length)
      lists.push(...list, noFamily)
    }
    return lookup(places)
  }
  const ofWord = placed(words)
  const ofBeginning = placed(beginnings)
  const [shortest, longest, place] = [beginningLettersMin, beginningLettersMax, placeOf]
  return {
    find(hash, beginnings, letters) {
      // Most words have no family, and their first letters say so.
      if (letters >= shortest && isBegun[place(beginnings[shortest] ?? 0) & (beginnersMax - 1)] === 0) return 0
      let list = ofWord(hash)
      for (let many = Math.min(letters, longest); list === 0 && many >= shortest; many--)
        list = ofBeginning(beginnings[many] ?? 0)
      return list
    },
    lists: Uint8Array.from(lists),
    names,
  }
}

/** Open addressing, at most half full. */
function lookup(places: ReadonlyMap<number, number>): (hash: number) => number {
  let size = 16
  while (size < places.size * 2) size *= 2
  const mask = size - 1
  const keys = new Int32Array(size)
  const values = new Uint16Array(size)
  const placed = placeOf
  for (const [hash, place] of places) {
    let at = placeOf(hash) & mask
    while (values[at] !== 0) at = (at + 1) & mask
    keys[at] = hash
    values[at] = place
  }
  return (hash) => {
    for (let at = placed(hash) & mask; ; at = (at + 1) & mask) {
      const place = values[at] ?? 0
      if (place === 0 || keys[at] === hash) return place
    }
  }
}
