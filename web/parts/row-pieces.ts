/**
 * The loaded rows of a long list: pieces in order, each with the cursor it was loaded by. A piece can be reloaded while the
 * others stay, so this file finds where the new rows overlap the old ones. `useInfiniteQuery({ maxPages })` is no
 * replacement: it reloads every loaded page at each change, and drops the first pages of a list that is scrolled far down.
 */

export interface RowsPage<Row> {
  rows: Row[]
  /** Null: there is no further page. */
  next: string | null
}

interface Piece<Row> extends RowsPage<Row> {
  /** It begins behind this; undefined: it is the first. */
  cursor: string | undefined
  /** Not reloaded since other pieces were. */
  isStale: boolean
}
export type Pieces<Row> = readonly Piece<Row>[]
export type KeyOf<Row> = (row: Row) => string

/** The rest is found by filters. */
export const rowsMax = 20_000

export const rowsOf = <Row>(pieces: Pieces<Row>): Row[] => pieces.flatMap((piece) => piece.rows)

const countOf = <Row>(pieces: Pieces<Row>): number => pieces.reduce((sum, piece) => sum + piece.rows.length, 0)

/** The maximum of rows is loaded, and there are more. */
export const isFull = <Row>(pieces: Pieces<Row>): boolean => countOf(pieces) >= rowsMax && pieces.at(-1)?.next != null

/** The cursor of the next page; undefined: there is none, or the list is full. */
export const nextOf = <Row>(pieces: Pieces<Row>): string | undefined =>
  isFull(pieces) ? undefined : (pieces.at(-1)?.next ?? undefined)

/** Adds a page. If the list was reloaded meanwhile and now continues elsewhere, nothing is added. */
export function withNext<Row>(
  pieces: Pieces<Row>,
  cursor: string,
  page: RowsPage<Row>,
  keyOf: KeyOf<Row>,
): Pieces<Row> {
  if (pieces.at(-1)?.next !== cursor) return pieces
  return withoutDuplicates([...pieces, { cursor, ...page, isStale: false }], keyOf)
}

/** Before a reload from the top. */
export const markStale = <Row>(pieces: Pieces<Row>): Pieces<Row> => pieces.map((piece) => ({ ...piece, isStale: true }))

/** The first stale piece with one of these rows; -1: none. */
export const firstStale = <Row>(pieces: Pieces<Row>, keys: ReadonlySet<string>, keyOf: KeyOf<Row>): number =>
  pieces.findIndex(({ isStale, rows }) => isStale && rows.some((row) => keys.has(keyOf(row))))

/**
 * Whether the reloaded pages overlap the loaded rows behind them. If not, another page is needed, or the rest is dropped.
 * @param fresh consecutive pages, from the cursor of a piece on
 */
export function isOverlapFound<Row>(
  pieces: Pieces<Row>,
  cursor: string | undefined,
  fresh: readonly RowsPage<Row>[],
  keyOf: KeyOf<Row>,
): boolean {
  return rowsBehind(from(pieces, cursor), piecesOf(cursor, fresh), keyOf) !== undefined
}

/** Replaces a piece by its reloaded pages, and keeps the pieces behind it. */
export function withReloaded<Row>(
  pieces: Pieces<Row>,
  cursor: string | undefined,
  fresh: readonly RowsPage<Row>[],
  keyOf: KeyOf<Row>,
): Pieces<Row> {
  const reloaded = piecesOf(cursor, fresh)
  const old = from(pieces, cursor)
  const rest = rowsBehind(old, reloaded, keyOf) ?? []
  return bounded(withoutDuplicates([...pieces.slice(0, pieces.length - old.length), ...reloaded, ...rest], keyOf))
}

/** As `withReloaded`, but drops the pieces behind: scrolling there loads them again. */
export function withoutRest<Row>(
  pieces: Pieces<Row>,
  cursor: string | undefined,
  fresh: readonly RowsPage<Row>[],
  keyOf: KeyOf<Row>,
): Pieces<Row> {
  const before = pieces.slice(0, pieces.length - from(pieces, cursor).length)
  return withoutDuplicates([...before, ...piecesOf(cursor, fresh)], keyOf)
}

/** The piece of this cursor and those behind it. */
function from<Row>(pieces: Pieces<Row>, cursor: string | undefined): Pieces<Row> {
  const at = pieces.findIndex((piece) => piece.cursor === cursor)
  return at < 0 ? [] : pieces.slice(at)
}

function piecesOf<Row>(cursor: string | undefined, pages: readonly RowsPage<Row>[]): Piece<Row>[] {
  return pages.map((page, index) => ({
    ...page,
    cursor: index === 0 ? cursor : (pages[index - 1]?.next ?? undefined),
    isStale: false,
  }))
}

/** The old pieces behind the reloaded ones. Undefined: the last reloaded row is not among the old rows. */
function rowsBehind<Row>(old: Pieces<Row>, reloaded: Pieces<Row>, keyOf: KeyOf<Row>): Pieces<Row> | undefined {
  const next = reloaded.at(-1)?.next ?? null
  // A list of one piece stays one.
  if (next === null || (old.length <= 1 && old[0]?.cursor === undefined)) return []
  const follows = old.findIndex((piece, index) => index > 0 && piece.cursor === next)
  if (follows > 0) return old.slice(follows)
  if (old[0]?.next === next) return []
  const rows = rowsOf(old)
  const fresh = rowsOf(reloaded)
  const overlap = overlapEnd(rows, fresh, keyOf)
  if (overlap === undefined) return undefined
  let end = 0
  const index = old.findIndex((piece) => {
    end += piece.rows.length
    return overlap < end
  })
  // The new rows end inside a piece: its remaining rows join the next piece.
  const remainder = rows.slice(overlap + 1, end)
  const [nextPiece, ...otherPieces] = old.slice(index + 1)
  if (!nextPiece) return [{ cursor: next, rows: remainder, next: old[index]?.next ?? null, isStale: true }]
  if (remainder.length + nextPiece.rows.length > 2 * fresh.length)
    return [{ cursor: next, rows: remainder, next: nextPiece.cursor ?? null, isStale: true }, nextPiece, ...otherPieces]
  return [{ ...nextPiece, cursor: next, rows: [...remainder, ...nextPiece.rows], isStale: true }, ...otherPieces]
}

/** Where the last new row is among the old ones. The row before it must match too: a single row may have moved there. */
function overlapEnd<Row>(old: readonly Row[], fresh: readonly Row[], keyOf: KeyOf<Row>): number | undefined {
  const last = fresh.at(-1)
  const before = fresh.at(-2)
  if (last === undefined) return undefined
  const index = old.findIndex((row) => keyOf(row) === keyOf(last))
  const previous = old[index - 1]
  const isSame = before === undefined || (previous !== undefined && keyOf(previous) === keyOf(before))
  return index >= 0 && isSame ? index : undefined
}

/** Drops the second copy of a row that moved up. */
function withoutDuplicates<Row>(pieces: Pieces<Row>, keyOf: KeyOf<Row>): Pieces<Row> {
  const seen = new Set<string>()
  return pieces.map((piece) => {
    const rows = piece.rows.filter((row) => {
      const key = keyOf(row)
      if (seen.has(key)) return false
      seen.add(key)
      return true
    })
    return rows.length === piece.rows.length ? piece : { ...piece, rows }
  })
}

/** Drops the last pieces past the maximum. */
function bounded<Row>(pieces: Pieces<Row>): Pieces<Row> {
  let count = countOf(pieces)
  let end = pieces.length
  while (end > 1 && count - (pieces[end - 1]?.rows.length ?? 0) >= rowsMax) {
    end -= 1
    count -= pieces[end]?.rows.length ?? 0
  }
  return pieces.slice(0, end)
}
