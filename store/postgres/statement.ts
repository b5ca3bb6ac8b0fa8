/** Statements put together from pieces, for lists whose conditions are asked for one by one; values are bound all the same. */
import type { Bindable, Query } from './sql.ts'

export interface Fragment {
  readonly texts: readonly string[]
  readonly values: readonly Bindable[]
}

export function sql(texts: TemplateStringsArray, ...values: Bindable[]): Fragment {
  return { texts, values }
}

/** All of the conditions. At least one. */
export function allOf(conditions: readonly Fragment[]): Fragment {
  return joined(conditions.flatMap((condition, at) => (at === 0 ? [condition] : [sql` and `, condition])))
}

/** Runs the pieces as one statement. The same pieces are the same text, so the server prepares it once. */
export function run<Row extends object>(query: Query, ...pieces: Fragment[]): Promise<Row[]> {
  const { texts, values } = joined(pieces)
  return query<Row>(Object.assign([...texts], { raw: texts }), ...values)
}

function joined(pieces: readonly Fragment[]): Fragment {
  const texts = ['']
  const values: Bindable[] = []
  for (const { texts: own, values: bound } of pieces) {
    texts.push(`${texts.pop() ?? ''}${own[0] ?? ''}`, ...own.slice(1))
    values.push(...bound)
  }
  return { texts, values }
}
