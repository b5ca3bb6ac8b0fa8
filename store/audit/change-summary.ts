/** The readable part of an audit entry, bounded: the log is no second copy of what was changed. */
import { safeJson } from '../postgres/safe-text.ts'

/** Code units of a target: what an index can take. */
export const auditTargetMax = 500

const textLengthMax = 2_000
const itemsMax = 100
const depthMax = 8
const summaryLengthMax = 32_768

/** JSON for the column `detail`; null: there is no readable part. */
export function summaryText(summary: { before?: object | null; after?: object | null } | undefined): string | null {
  if (!summary || (!summary.before && !summary.after)) return null
  const { before = null, after = null } = summary
  const text = safeJson({ before: plain(before, 0), after: plain(after, 0) })
  if (text.length <= summaryLengthMax) return text
  return JSON.stringify({ before: null, after: null, omitted: `${text.length} characters` })
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return shortened(value)
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value
  if (value instanceof Date) return value
  if (depth >= depthMax) return '[deeper]'
  if (Array.isArray(value)) {
    const items = value.slice(0, itemsMax).map((item) => plain(item, depth + 1))
    return value.length > itemsMax ? [...items, `[${value.length - itemsMax} more]`] : items
  }
  const fields = Object.entries(value)
  const items = fields.slice(0, itemsMax).map(([name, field]) => [name, plain(field, depth + 1)])
  if (fields.length > itemsMax) items.push(['more', `[${fields.length - itemsMax} more]`])
  return Object.fromEntries(items)
}

function shortened(text: string): string {
  if (text.length <= textLengthMax) return text
  return `${text.slice(0, textLengthMax)}… [${text.length - textLengthMax} more]`
}
