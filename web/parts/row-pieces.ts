/**
 * The rows of a long list as they are kept: pieces in order, each behind a cursor. Some are asked for anew while the rest
 * stays as it was, so that it must be found where the new rows meet the old ones.
 */

export interface RowsPage<Row> {
  rows: Row[]
  /** Null: there is no further page. */
  next: string | null
}

interface Piece<Row> extends RowsPage<Row> {
  /** Behind which it begins; undefined: at the beginning. */
  cursor: string | undefined
  /** It was left as it was when others were asked for anew. */
  isOld: boolean
}
export type Pieces<Row> = readonly Piece<Row>[]
export type KeyOf<Row> = (row: Row) => string

/** More are not kept: what is further down is found by filters. */
export const rowsKeptMax = 20_000

export const rowsOf = <Row>(pieces: Pieces<Row>): Row[] => pieces.flatMap((piece) => piece.rows)

const countOf = <Row>(pieces: Pieces<Row>): number => pieces.reduce((sum, piece) => sum + piece.rows.length, 0)

/** As many rows are kept as may be, and there are more. */
export const isFull = <Row>(pieces: Pieces<Row>): boolean =>
  countOf(pieces) >= rowsKeptMax && pieces.at(-1)?.next != null

/** Behind which the next page begins; undefined: there is none, or no more rows are kept. */
export const nextOf = <Row>(pieces: Pieces<Row>): string | undefined =>
  isFull(pieces) ? undefined : (pieces.at(-1)?.next ?? undefined)

/** Nothing is added where the list was asked for anew meanwhile, and goes on elsewhere. */
export function withNext<Row>(
  pieces: Pieces<Row>,
  cursor: string,
  page: RowsPage<Row>,
  keyOf: KeyOf<Row>,
): Pieces<Row> {
  if (pieces.at(-1)?.next !== cursor) return pieces
  return eachOnce([...pieces, { cursor, ...page, isOld: false }], keyOf)
}

/** Everything but what was just asked for. */
export const allOld = <Row>(pieces: Pieces<Row>): Pieces<Row> => pieces.map((piece) => ({ ...piece, isOld: true }))

/** The first piece that is old and has one of these rows; -1: none. */
export const oldAmong = <Row>(pieces: Pieces<Row>, keys: ReadonlySet<string>, keyOf: KeyOf<Row>): number =>
  pieces.findIndex(({ isOld, rows }) => isOld && rows.some((row) => keys.has(keyOf(row))))

/**
 * Whether it is known where the new rows meet what is kept behind them; else another page is wanted, or the rest is cut off.
 * @param fresh pages from the cursor of a piece on, each behind the one before
 */
export function isMet<Row>(
  pieces: Pieces<Row>,
  cursor: string | undefined,
  fresh: readonly RowsPage<Row>[],
  keyOf: KeyOf<Row>,
): boolean {
  return restBehind(from(pieces, cursor), piecesOf(cursor, fresh), keyOf) !== undefined
}

/** A piece as it is now, and what is kept behind it. */
export function withFresh<Row>(
  pieces: Pieces<Row>,
  cursor: string | undefined,
  fresh: readonly RowsPage<Row>[],
  keyOf: KeyOf<Row>,
): Pieces<Row> {
  const renewed = piecesOf(cursor, fresh)
  const old = from(pieces, cursor)
  const rest = restBehind(old, renewed, keyOf) ?? []
  return bounded(eachOnce([...pieces.slice(0, pieces.length - old.length), ...renewed, ...rest], keyOf))
}

/** As `withFresh`, without what is behind: it is loaded again by whoever scrolls there. */
export function cutOff<Row>(
  pieces: Pieces<Row>,
  cursor: string | undefined,
  fresh: readonly RowsPage<Row>[],
  keyOf: KeyOf<Row>,
): Pieces<Row> {
  const before = pieces.slice(0, pieces.length - from(pieces, cursor).length)
  return eachOnce([...before, ...piecesOf(cursor, fresh)], keyOf)
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
    isOld: false,
  }))
}

/** Undefined: where the new rows end is not known among the old ones. */
function restBehind<Row>(old: Pieces<Row>, renewed: Pieces<Row>, keyOf: KeyOf<Row>): Pieces<Row> | undefined {
  const next = renewed.at(-1)?.next ?? null
  // A list of one piece stays one.
  if (next === null || (old.length <= 1 && old[0]?.cursor === undefined)) return []
  const follows = old.findIndex((piece, index) => index > 0 && piece.cursor === next)
  if (follows > 0) return old.slice(follows)
  if (old[0]?.next === next) return []
  const rows = rowsOf(old)
  const fresh = rowsOf(renewed)
  const meeting = meetingOf(rows, fresh, keyOf)
  if (meeting === undefined) return undefined
  let end = 0
  const index = old.findIndex((piece) => {
    end += piece.rows.length
    return meeting < end
  })
  // The piece in which the new rows end is cut; what is left of it goes to the one behind it.
  const left = rows.slice(meeting + 1, end)
  const [following, ...others] = old.slice(index + 1)
  if (!following) return [{ cursor: next, rows: left, next: old[index]?.next ?? null, isOld: true }]
  if (left.length + following.rows.length > 2 * fresh.length)
    return [{ cursor: next, rows: left, next: following.cursor ?? null, isOld: true }, following, ...others]
  return [{ ...following, cursor: next, rows: [...left, ...following.rows], isOld: true }, ...others]
}

/** The last new row among the old ones, known by itself and the one before it: one row alone may have moved there. */
function meetingOf<Row>(old: readonly Row[], fresh: readonly Row[], keyOf: KeyOf<Row>): number | undefined {
  const [last, before] = [fresh.at(-1), fresh.at(-2)]
  if (last === undefined) return undefined
  const index = old.findIndex((row) => keyOf(row) === keyOf(last))
  const previous = old[index - 1]
  const isSame = before === undefined || (previous !== undefined && keyOf(previous) === keyOf(before))
  return index >= 0 && isSame ? index : undefined
}

/** A row that moved is where it is now: further up. */
function eachOnce<Row>(pieces: Pieces<Row>, keyOf: KeyOf<Row>): Pieces<Row> {
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

/** New rows push the last ones out, piece by piece. */
function bounded<Row>(pieces: Pieces<Row>): Pieces<Row> {
  let count = countOf(pieces)
  let end = pieces.length
  while (end > 1 && count - (pieces[end - 1]?.rows.length ?? 0) >= rowsKeptMax) {
    end -= 1
    count -= pieces[end]?.rows.length ?? 0
  }
  return pieces.slice(0, end)
}
