/** What is kept of a long list while parts of it are asked for anew: nothing lost, nothing twice, and never without an end. */
import { describe, expect, it } from 'vitest'
import {
  firstStale,
  isFull,
  isOverlapFound,
  markStale,
  nextOf,
  type Pieces,
  rowsMax,
  rowsOf,
  withNext,
  withoutRest,
  withReloaded,
} from '../../web/parts/row-pieces.ts'

const key = (row: string): string => row
const pageRows = 4

/** The service: rows in order, pages behind the row that a cursor names. */
function served(rows: readonly string[]) {
  return (cursor: string | undefined) => {
    const from = cursor === undefined ? 0 : Number(cursor.split('@')[1])
    const page = rows.slice(from, from + pageRows)
    const end = from + page.length
    return { rows: page, next: end < rows.length ? `behind ${page.at(-1)}@${end}` : null }
  }
}

const named = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, at) => `r${from + at}`)

function loaded(rows: readonly string[], pages: number): Pieces<string> {
  const load = served(rows)
  let pieces = withoutRest<string>([], undefined, [load(undefined)], key)
  for (let page = 1; page < pages; page++) {
    const next = nextOf(pieces)
    if (next !== undefined) pieces = withNext(pieces, next, load(next), key)
  }
  return pieces
}

/** As the list does it: page after page until the old rows are met. */
function renewed(pieces: Pieces<string>, cursor: string | undefined, rows: readonly string[]): Pieces<string> {
  const load = served(rows)
  const fresh = [load(cursor)]
  while (!isOverlapFound(pieces, cursor, fresh, key)) fresh.push(load(fresh.at(-1)?.next ?? undefined))
  return withReloaded(markStale(pieces), cursor, fresh, key)
}

describe('the rows of a long list', () => {
  const before = named(10, 30)

  it('keep what is behind the first page when new rows come above', () => {
    const after = ['new1', 'new2', ...before]
    expect(rowsOf(renewed(loaded(before, 3), undefined, after))).toEqual(after.slice(0, 14))
  })

  it('are bridged when more came than a page holds', () => {
    const after = [...named(1, 9), ...before]
    expect(rowsOf(renewed(loaded(before, 3), undefined, after))).toEqual(after.slice(0, 21))
  })

  it('have a row once where it moved to the top, also when it is the last of the new ones', () => {
    const others = before.filter((row) => row !== 'r18')
    const moved = ['new1', 'new2', 'new3', 'r18', ...others]
    const rows = rowsOf(renewed(loaded(before, 3), undefined, moved))
    expect(rows).toEqual(moved.slice(0, rows.length))
    expect(rows.length).toBeGreaterThanOrEqual(12)
  })

  it('lose those that were deleted, and no others', () => {
    const after = before.filter((row) => row !== 'r11' && row !== 'r12')
    expect(rowsOf(renewed(loaded(before, 3), undefined, after))).toEqual(after.slice(0, 10))
  })

  it('end where the service says that they end', () => {
    expect(rowsOf(renewed(loaded(before, 3), undefined, ['r10', 'r11']))).toEqual(['r10', 'r11'])
  })

  it('stay in few pieces, however often they are asked for anew', () => {
    let rows = named(1_000, 1_020)
    let pieces = loaded(rows, 5)
    for (let n = 999; n > 900; n--) {
      rows = [`r${n}`, ...rows]
      pieces = renewed(pieces, undefined, rows)
    }
    expect(rowsOf(pieces)).toEqual(rows.slice(0, rowsOf(pieces).length))
    expect(rowsOf(pieces).length).toBeGreaterThan(100)
    expect(pieces.length).toBeLessThan(60)
  })

  it('know which piece in sight was not asked for yet, and renew it alone', () => {
    const old = markStale(loaded(before, 4))
    const at = firstStale(old, new Set(['r19']), key)
    expect(old[at]?.rows).toEqual(named(18, 21))
    const fresh = renewed(old, old[at]?.cursor, before)
    expect(rowsOf(fresh)).toEqual(rowsOf(old))
    expect(
      firstStale(withReloaded(old, old[at]?.cursor, [served(before)(old[at]?.cursor)], key), new Set(['r19']), key),
    ).toBe(-1)
  })

  it('are not added to at a place where the list no longer ends', () => {
    const pieces = loaded(before, 2)
    expect(withNext(pieces, 'behind something else', { rows: ['x'], next: null }, key)).toBe(pieces)
  })

  it('are kept up to a bound: no page is asked for behind it, and new ones push out the last', () => {
    const many = Array.from({ length: rowsMax / 100 }, (_, piece) => ({
      cursor: piece === 0 ? undefined : `c${piece}`,
      rows: Array.from({ length: 100 }, (_, row) => `${piece}.${row}`),
      next: `c${piece + 1}`,
      isStale: false,
    }))
    expect(isFull(many)).toBe(true)
    expect(nextOf(many)).toBeUndefined()
    const top = { rows: ['new', ...named(1, 99)], next: 'elsewhere' }
    const bridge = { rows: many[0]?.rows ?? [], next: 'c1' }
    const after = withReloaded(many, undefined, [top, bridge], key)
    expect(rowsOf(after).length).toBe(rowsMax)
    expect(rowsOf(after)[0]).toBe('new')
    expect(after.at(-1)?.next).toBe(many.at(-1)?.cursor)
    expect(isFull(after)).toBe(true)
  })
})
