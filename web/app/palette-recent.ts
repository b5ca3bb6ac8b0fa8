/** What was opened from the palette in this tab, the newest first; shown before anything is typed. */
import { History } from 'lucide-react'
import type { PaletteItem, PaletteSource } from './palette-item.ts'
import { recentKey } from './tab-storage.ts'

const recentMax = 5

type Recent = Pick<PaletteItem, 'key' | 'title' | 'hint' | 'path' | 'search'>

function read(): Recent[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(recentKey) ?? '[]')
    return Array.isArray(stored) ? (stored as Recent[]) : []
  } catch {
    return []
  }
}

/** Pages are listed anyway, and so is what waits. */
export function remember({ key, title, hint, path, search }: PaletteItem): void {
  if (path === undefined || /^(page|do|waiting):/.test(key)) return
  const own = key.replace(/^recent:/, '')
  const item: Recent = { key: own, title, path, ...(hint !== undefined && { hint }), ...(search && { search }) }
  const items = [item, ...read().filter((other) => other.key !== own)].slice(0, recentMax)
  try {
    sessionStorage.setItem(recentKey, JSON.stringify(items))
  } catch {
    // no storage: nothing is remembered
  }
}

export const recentSource: PaletteSource = {
  key: 'recent',
  heading: { en: 'Recent', ru: 'Недавнее' },
  find: (query) => (query === '' ? read().map((item) => ({ ...item, key: `recent:${item.key}`, icon: History })) : []),
}
