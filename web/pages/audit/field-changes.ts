/** The changed fields between two states. */
export interface FieldChange {
  field: string
  /** Undefined: the field was not there. */
  before: string | undefined
  after: string | undefined
}

/** Unchanged fields are left out. A value that is not an object counts as one field without a name. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const old = fieldsOf(before)
  const now = fieldsOf(after)
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((change) => change.before !== change.after)
}

function fieldsOf(value: unknown): Map<string, string> {
  if (value === null || value === undefined) return new Map()
  if (typeof value !== 'object' || Array.isArray(value)) return new Map([['', textOf(value)]])
  return new Map(Object.entries(value).map(([field, inner]) => [field, textOf(inner)]))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
