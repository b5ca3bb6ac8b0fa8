/** What differs between two versions of an agent: field by field, and long texts line by line. */
import type { Definition } from './draft.ts'

export interface Line {
  is: 'same' | 'removed' | 'added'
  text: string
}

interface FieldDiff {
  field: string
  lines: Line[]
}

/** Beyond this the two texts are shown whole, one after the other: the comparison needs a table of lines × lines. */
const comparedMax = 1_500

const as = (is: Line['is'], texts: string[]): Line[] => texts.map((text) => ({ is, text }))

/** The longest common subsequence of lines; the rest is removed or added. */
export function diffLines(before: string, after: string): Line[] {
  const old = before.split('\n')
  const now = after.split('\n')
  let start = 0
  let oldEnd = old.length
  let nowEnd = now.length
  while (start < oldEnd && start < nowEnd && old[start] === now[start]) start++
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) {
    oldEnd--
    nowEnd--
  }
  const removed = old.slice(start, oldEnd)
  const added = now.slice(start, nowEnd)
  const isTooLong = removed.length > comparedMax || added.length > comparedMax
  const middle = isTooLong ? [...as('removed', removed), ...as('added', added)] : compared(removed, added)
  return [...as('same', old.slice(0, start)), ...middle, ...as('same', old.slice(oldEnd))]
}

function compared(removed: string[], added: string[]): Line[] {
  const width = added.length + 1
  // common[i * width + j]: the length of the longest common subsequence of the lines from i and from j on.
  const common = new Uint16Array((removed.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = removed.length - 1; i >= 0; i--)
    for (let j = added.length - 1; j >= 0; j--)
      common[i * width + j] = removed[i] === added[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < removed.length || j < added.length) {
    const old = removed[i]
    const now = added[j]
    if (old !== undefined && old === now) {
      lines.push({ is: 'same', text: old })
      i++
      j++
    } else if (old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ is: 'removed', text: old })
      i++
    } else {
      lines.push({ is: 'added', text: now ?? '' })
      j++
    }
  }
  return lines
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
      if (oldText === undefined) return { field, lines: as('added', (newText ?? '').split('\n')) }
      if (newText === undefined) return { field, lines: as('removed', oldText.split('\n')) }
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

/** Long unchanged parts are folded, except for a few lines around each change. */
export function folded(lines: readonly Line[], around = 3): (Line | { is: 'folded'; count: number })[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ is }) => is !== 'same'),
  )
  const result: (Line | { is: 'folded'; count: number })[] = []
  for (const [at, line] of lines.entries()) {
    const last = result.at(-1)
    if (isNear[at]) result.push(line)
    else if (last?.is === 'folded') last.count++
    else result.push({ is: 'folded', count: 1 })
  }
  return result
}
