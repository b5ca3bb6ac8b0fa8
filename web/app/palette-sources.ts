/**
 * What the palette searches, in the order of its groups: one source a group. A source answers at once or later; one that
 * fails or is slow holds up no other.
 */
import type { LucideIcon } from 'lucide-react'
import type { Permission } from '../api/session.ts'
import { isOfOneThing, pages } from '../pages/pages.ts'
import { groups, type Label, type Section, sections } from '../pages/sections.ts'
import type { Language } from '../text/text.ts'

export interface PaletteContext {
  language: Language
  may(permission: Permission): boolean
  signal: AbortSignal
}

export interface PaletteItem {
  /** Unique among all sources. */
  key: string
  title: string
  /** Where it is, or what kind of thing: grey, behind the title. */
  hint?: string
  icon?: LucideIcon
  /** Where it leads, or what it does. */
  path?: string
  search?: Readonly<Record<string, string>>
  run?(): void
}

export interface PaletteSource {
  key: string
  heading: Label
  /** `''`: the query is empty. At most some ten items: what is far down is not read. */
  find(query: string, context: PaletteContext): PaletteItem[] | Promise<PaletteItem[]>
}

/** All words of the query are in the text, in any order. */
export function matches(query: string, ...texts: (string | undefined)[]): boolean {
  const text = texts.join(' ').toLocaleLowerCase()
  return query
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Pages, found by their name in both languages and by their address. */
const pageSource: PaletteSource = {
  key: 'pages',
  heading: { en: 'Go to', ru: 'Перейти' },
  find: (query, { language, may }) =>
    pages.flatMap((page) => {
      const section: Section | undefined = page.section && sections[page.section]
      if (isOfOneThing(page) || !may(page.permission)) return []
      if (!matches(query, page.title.en, page.title.ru, section?.title.en, section?.title.ru, page.path)) return []
      const up = section && section.title !== page.title ? section.title : section?.group && groups[section.group]
      return [
        {
          key: `page:${page.path}`,
          title: page.title[language],
          path: page.path,
          ...(up && { hint: up[language] }),
          ...(section && { icon: section.icon }),
        },
      ]
    }),
}

export const paletteSources: readonly PaletteSource[] = [pageSource]
