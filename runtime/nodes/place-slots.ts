/**
 * Which node each slot belongs to. A slot stays where it is as long as its node lives and has no more than its share; the rest
 * goes by rendezvous hashing to nodes that have room. So little moves when a node comes or goes, and all nodes that see the
 * same rows come to the same.
 */

/**
 * @param nodes the epochs of those that live
 * @param owners of each slot; null, or of a node that does not live: it is free
 * @returns the epoch of the node of each slot; null where there is no node
 */
export function placeSlots(nodes: readonly number[], owners: readonly (number | null)[]): (number | null)[] {
  const room = shares(nodes, owners)
  const placed: (number | null)[] = owners.map(() => null)

  function place(slot: number, node: number): void {
    const left = room.get(node) ?? 0
    if (left === 0) return
    room.set(node, left - 1)
    placed[slot] = node
  }

  // What a node keeps are the slots that weigh most for it: in the order in which each would be given to it again.
  const kept = [...owners.entries()].filter((entry): entry is [number, number] => entry[1] !== null)
  kept.sort(([slot, node], [otherSlot, other]) => weightOf(otherSlot, other) - weightOf(slot, node) || slot - otherSlot)
  for (const [slot, node] of kept) place(slot, node)
  for (const slot of placed.keys()) {
    if (placed[slot] !== null) continue
    const [first] = nodes
      .filter((node) => (room.get(node) ?? 0) > 0)
      .sort((node, other) => weightOf(slot, other) - weightOf(slot, node) || node - other)
    if (first !== undefined) place(slot, first)
  }
  return placed
}

/** How many each node gets: as even as can be, and one more for those that have most. */
function shares(nodes: readonly number[], owners: readonly (number | null)[]): Map<number, number> {
  const owned = new Map(nodes.map((node) => [node, 0]))
  for (const owner of owners) {
    const count = owner === null ? undefined : owned.get(owner)
    if (owner !== null && count !== undefined) owned.set(owner, count + 1)
  }
  const byCount = [...owned].sort(([node, count], [other, otherCount]) => otherCount - count || node - other)
  const least = Math.floor(owners.length / nodes.length)
  const more = owners.length % nodes.length
  return new Map(byCount.map(([node], at) => [node, at < more ? least + 1 : least]))
}

/** Each pair has its own, evenly spread over 32 bits: the finalizer of MurmurHash3. */
function weightOf(slot: number, node: number): number {
  let hash = Math.imul(node ^ (slot << 16) ^ slot, 0x9e3779b1) ^ Math.floor(node / 0x1_0000_0000)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
