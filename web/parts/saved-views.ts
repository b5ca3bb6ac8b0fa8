/** The operator's own views of a list, in the browser's storage: bounded, and read with care, since another version may have written them. */
import { browserSetting } from '../app/browser-settings.ts'

export interface SavedView {
  title: string
  filters: Readonly<Record<string, string>>
}

/** Of one list. */
export const viewsMax = 20
export const viewNameMax = 40
const valueLengthMax = 200

/** @param filterNames what the list can be narrowed by; other filters of a stored view are left out, and the rest still holds */
export function savedViews(name: string, filterNames: readonly string[]) {
  return browserSetting<readonly SavedView[]>(
    `views-${name}`,
    [],
    (text) => viewsIn(text, filterNames),
    (views) => JSON.stringify(views.slice(0, viewsMax)),
  )
}

function viewsIn(text: string, filterNames: readonly string[]): SavedView[] {
  const stored: unknown = JSON.parse(text)
  if (!Array.isArray(stored)) return []
  const views = stored.flatMap((one: unknown): SavedView[] => {
    const { title, filters } = (one ?? {}) as { title?: unknown; filters?: unknown }
    if (typeof title !== 'string' || title.trim() === '' || typeof filters !== 'object' || filters === null) return []
    const known = Object.entries(filters).filter(
      ([name, value]) => filterNames.includes(name) && typeof value === 'string' && value.length <= valueLengthMax,
    )
    return [{ title: title.slice(0, viewNameMax), filters: Object.fromEntries(known) as Record<string, string> }]
  })
  // Titles are their keys.
  return [...new Map(views.map((view) => [view.title, view])).values()].slice(0, viewsMax)
}
