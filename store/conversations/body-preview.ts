/** The beginning of a stored message's text, made by the database, so that lists do not read messages whole. */
import { type Fragment, sql } from '../postgres/sql.ts'

export const previewLengthMax = 200
/** A longer message, as it is stored, has no preview: it would have to be read whole. */
const bodyBytesMax = 65_536

/** The first characters of the text in a message's body, with white space as single spaces; null where there is none. */
export function bodyPreview(body: Fragment): Fragment {
  const text = sql`case jsonb_typeof(${body} -> 'content')
    when 'string' then left(${body} ->> 'content', ${2 * previewLengthMax}::integer)
    when 'array' then (
      select left(string_agg(left(part ->> 'text', ${2 * previewLengthMax}::integer), ' '), ${2 * previewLengthMax}::integer)
      from jsonb_array_elements(${body} -> 'content') as part)
    end`
  return sql`case when pg_column_size(${body}) <= ${bodyBytesMax}::integer
    then nullif(left(btrim(regexp_replace(${text}, '\\s+', ' ', 'g')), ${previewLengthMax}::integer), '') end`
}
