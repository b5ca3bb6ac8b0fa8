/** Approvals that this tab has decided, so that their events on the feed are not reported as somebody else's. */
const idsMax = 1_000
const ids = new Set<string>()

export const ownDecisions = {
  has: (id: string): boolean => ids.has(id),
  add(id: string): void {
    ids.add(id)
    const [oldest] = ids
    if (ids.size > idsMax && oldest !== undefined) ids.delete(oldest)
  },
  /** The decision failed. */
  remove: (id: string): void => void ids.delete(id),
}
