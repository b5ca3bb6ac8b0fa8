/** What this tab has decided itself: of that the feed tells nothing new. */
const idsMax = 1_000
const ids = new Set<string>()

export const ownDecisions = {
  has: (id: string): boolean => ids.has(id),
  add(id: string): void {
    ids.add(id)
    const [oldest] = ids
    if (ids.size > idsMax && oldest !== undefined) ids.delete(oldest)
  },
  /** It did not count. */
  remove: (id: string): void => void ids.delete(id),
}
