/** Pages of rows with values that others write, bounded by their bytes too: some have a megabyte each. */
import { type Fragment, sql } from './sql.ts'

export const pageBytesMax = 8_388_608

/**
 * The rows of a page up to where they have `pageBytesMax`: always the first, and the last may go beyond. With `page_rows`, how many
 * the page would have had.
 * @param rows with `page_bytes`, how large each is @param order of the rows, which stand in it afterwards too
 */
export const fitting = (rows: Fragment, order: Fragment): Fragment => sql`(
    select * from (
      select *, count(*) over () as page_rows, sum(page_bytes) over (order by ${order} rows unbounded preceding) - page_bytes as bytes_before
      from (${rows}) as page
    ) as sized where bytes_before < ${pageBytesMax}
  )`

export interface OfPage {
  page_rows: string
}

/** @param limit rows that are shown; one more was asked for @returns those, and whether more follow */
export function pageOf<Row extends OfPage>(rows: readonly Row[], limit: number): { rows: Row[]; isMore: boolean } {
  const shown = rows.slice(0, limit)
  return { rows: shown, isMore: Number(rows[0]?.page_rows ?? 0) > shown.length }
}
