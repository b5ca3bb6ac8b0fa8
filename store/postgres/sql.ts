/** Parts of statements with their bound values, so that several statements can share them. */

/** A value that a statement may bind. Arrays need a cast in the SQL (`${ids}::uuid[]`). */
export type Bindable = string | number | boolean | bigint | Date | Buffer | null | readonly Bindable[]

/** Pieces of SQL text with a value between each two. */
export class Fragment {
  readonly texts: readonly string[]
  readonly values: Bindable[]
  constructor(texts: readonly string[], values: Bindable[]) {
    this.texts = texts
    this.values = values
  }
}

/** The fragments among `values` become part of the text; the other values are bound. */
export function sql(texts: TemplateStringsArray, ...values: (Bindable | Fragment)[]): Fragment {
  const merged = [texts[0] ?? '']
  const bound: Bindable[] = []
  const append = (text: string) => {
    merged[merged.length - 1] += text
  }
  for (const [at, value] of values.entries()) {
    if (value instanceof Fragment) {
      append(value.texts[0] ?? '')
      merged.push(...value.texts.slice(1))
      bound.push(...value.values)
    } else {
      merged.push('')
      bound.push(value)
    }
    append(texts[at + 1] ?? '')
  }
  return new Fragment(merged, bound)
}

/** All of the conditions; true where there are none. */
export function allOf(conditions: readonly Fragment[]): Fragment {
  return conditions.length === 0 ? sql`true` : conditions.reduce((all, condition) => sql`${all} and ${condition}`)
}
