/** What differs between two versions of an agent: field by field, and long texts line by line. */
import { diffLines, type Line, linesAs } from '../../parts/line-diff.ts'
import type { Definition } from './draft.ts'

interface FieldDiff {
  field: string
  lines: Line[]
}

interface Versioned {
  name: string
  definition: Partial<Definition>
}

const formOrder = [
  'name',
  'model',
  'instructions',
  'persona',
  'temperature',
  'top_p',
  'max_tokens',
  'context_tokens',
  'reasoning_effort',
  'tools',
  'approval_tools',
  'sub_agents',
]

/** Only changed fields, in the order of the form; unknown fields come last. */
export function diffAgents(before: Versioned, after: Versioned): FieldDiff[] {
  const old = fieldsOf(before)
  const now = fieldsOf(after)
  const fields = [...new Set([...formOrder, ...Object.keys(old), ...Object.keys(now)])]
  return fields
    .filter((field) => old[field] !== now[field])
    .map((field) => {
      const oldText = old[field]
      const newText = now[field]
      if (oldText === undefined) return { field, lines: linesAs('added', (newText ?? '').split('\n')) }
      if (newText === undefined) return { field, lines: linesAs('removed', oldText.split('\n')) }
      return { field, lines: diffLines(oldText, newText) }
    })
}

/** A list has one line per name. Empty values are absent, except for tools: none is a dash, all are an asterisk. */
function fieldsOf({ name, definition }: Versioned): Record<string, string> {
  const entries = Object.entries({ name, tools: ['*'], ...definition }).map(([field, value]) => {
    const isNone = field === 'tools' && Array.isArray(value) && value.length === 0
    return [field, isNone ? '–' : Array.isArray(value) ? value.join('\n') : String(value)] as const
  })
  return Object.fromEntries(entries.filter(([, text]) => text !== ''))
}
