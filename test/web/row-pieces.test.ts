/** The pieces of a long list while parts are reloaded: no row is lost or doubled, and the list stays bounded. */
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

/** The service: rows in order; a page starts behind the row of its cursor. */
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

/** As the list does: page after page until the new rows overlap the old ones. */
function renewed(pieces: Pieces<string>, cursor: string | undefined, rows: readonly string[]): Pieces<string> {
  const load = served(rows)
  const fresh = [load(cursor)]
  while (!isOverlapFound(pieces, cursor, fresh, key)) fresh.push(load(fresh.at(-1)?.next ?? undefined))
  return withReloaded(markStale(pieces), cursor, fresh, key)
}

describe('the rows of a long list', () => {
  const before = named(10, 30)

  it('keep the rows behind the first page when new ones arrive at the top', () => {
    const after = ['new1', 'new2', ...before]
    expect(rowsOf(renewed(loaded(before, 3), undefined, after))).toEqual(after.slice(0, 14))
  })

  it('are joined when more rows arrived than fit a page', () => {
    const after = [...named(1, 9), ...before]
    expect(rowsOf(renewed(loaded(before, 3), undefined, after))).toEqual(after.slice(0, 21))
  })

  it('contain a row that moved to the top only once, even when it is the last new one', () => {
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

  it('end where the list of the service ends', () => {
    expect(rowsOf(renewed(loaded(before, 3), undefined, ['r10', 'r11']))).toEqual(['r10', 'r11'])
  })

  it('stay in few pieces, however often they are reloaded', () => {
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

  it('find the visible stale piece, and reload only that one', () => {
    const old = markStale(loaded(before, 4))
    const at = firstStale(old, new Set(['r19']), key)
    expect(old[at]?.rows).toEqual(named(18, 21))
    const fresh = renewed(old, old[at]?.cursor, before)
    expect(rowsOf(fresh)).toEqual(rowsOf(old))
    expect(
      firstStale(withReloaded(old, old[at]?.cursor, [served(before)(old[at]?.cursor)], key), new Set(['r19']), key),
    ).toBe(-1)
  })

  it('ignore a page whose cursor is no longer the end of the list', () => {
    const pieces = loaded(before, 2)
    expect(withNext(pieces, 'behind something else', { rows: ['x'], next: null }, key)).toBe(pieces)
  })

  it('are bounded: no page is loaded past the maximum, and new rows push out the last', () => {
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
