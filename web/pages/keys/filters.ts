/** The filters of the list of keys, as they stand in the address. */
import type { KeyState, Scope } from './key.ts'

/** `open` is the key beside the list. */
export const noFilters = { q: '', state: '', scope: '', open: '' }
export type KeyFilters = typeof noFilters

/** What the API is asked for. A value that is none of them is refused by it, which says so. */
export function queryOf({ q, state, scope }: KeyFilters) {
  return {
    ...(q.trim() !== '' && { q: q.trim() }),
    ...(state !== '' && { state: state as KeyState }),
    ...(scope !== '' && { scope: scope as Scope }),
  }
}
