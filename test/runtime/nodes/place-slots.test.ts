import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeSlots } from '../../../runtime/nodes/place-slots.ts'
import { slotCount, slotOf } from '../../../runtime/nodes/slot.ts'
import { newConversationId } from '../../../store/id.ts'

const nobodys = Array.from({ length: slotCount }, () => null)
const nodesOf = fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 40 })

function countsOf(placed: readonly (number | null)[]): Map<number | null, number> {
  const counts = new Map<number | null, number>()
  for (const node of placed) counts.set(node, (counts.get(node) ?? 0) + 1)
  return counts
}

function moved(before: readonly (number | null)[], after: readonly (number | null)[]): number {
  return after.filter((node, slot) => node !== before[slot]).length
}

test('every node has as many slots as any other, or one more', () => {
  fc.assert(
    fc.property(nodesOf, (nodes) => {
      const counts = countsOf(placeSlots(nodes, nobodys))
      expect([...counts.keys()].sort()).toEqual([...nodes].sort())
      expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(1)
    }),
  )
})

test('when a node comes or goes, no more slots move than must', () => {
  fc.assert(
    fc.property(nodesOf, fc.integer({ min: 1_000_001, max: 2_000_000 }), (nodes, another) => {
      const before = placeSlots(nodes, nobodys)
      const joined = placeSlots([...nodes, another], before)
      expect(moved(before, joined)).toBe(countsOf(joined).get(another) ?? 0)
      const left = placeSlots(nodes, joined)
      expect(moved(joined, left)).toBe(countsOf(joined).get(another) ?? 0)
      expect(placeSlots(nodes, left)).toEqual(left)
    }),
  )
})

test('all nodes come to the same, in whatever order they know the others', () => {
  fc.assert(
    fc.property(nodesOf, (nodes) => {
      const before = placeSlots(nodes.slice(1), nobodys)
      expect(placeSlots([...nodes].reverse(), before)).toEqual(placeSlots(nodes, before))
    }),
  )
})

test('without a node every slot is nobody’s', () => {
  expect(new Set(placeSlots([], nobodys))).toEqual(new Set([null]))
})

test('identifiers and names fall evenly into the slots', () => {
  const ofIds = countsOf(Array.from({ length: 100_000 }, () => slotOf(newConversationId())))
  const ofNames = countsOf(Array.from({ length: 100_000 }, (_, at) => slotOf(`task-${at}`)))
  for (const counts of [ofIds, ofNames]) {
    expect(counts.size).toBe(slotCount)
    // Of 391 expected; 5 standard deviations are 99.
    for (const count of counts.values()) expect(Math.abs(count - 391)).toBeLessThan(120)
  }
})
