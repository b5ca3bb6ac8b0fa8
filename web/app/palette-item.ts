/** What a source of the palette is asked, and answers. */
import type { QueryClient } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import type { Permission } from '../api/session.ts'
import type { Label } from '../pages/sections.ts'
import type { Language } from '../text/text.ts'

export interface PaletteContext {
  language: Language
  may(permission: Permission): boolean
  signal: AbortSignal
  /** What one opening of the palette has read is not read again with each letter. */
  queries: QueryClient
  toggleTheme(): void
  chooseLanguage(language: Language): void
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
  /** Alone behind this mark at the beginning of the query: `>` to do something, `#` for ids. */
  mark?: '>' | '#'
  heading: Label
  /** It asks the service: when the typing rests. */
  asks?: true
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
