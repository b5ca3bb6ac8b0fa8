/**
 * What the palette searches, in the order of its groups: one source a group. A source answers at once or later; one that
 * fails or is slow holds up no other.
 */
import { isOfOneThing, pages } from '../pages/pages.ts'
import { groups, type Section, sections } from '../pages/sections.ts'
import { actionSource } from './palette-actions.ts'
import { idSource } from './palette-ids.ts'
import { matches, type PaletteSource } from './palette-item.ts'
import { recentSource } from './palette-recent.ts'
import { conversationSource, settingSource, thingSources, waitingSource } from './palette-things.ts'

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

export const paletteSources: readonly PaletteSource[] = [
  waitingSource,
  recentSource,
  idSource,
  pageSource,
  ...thingSources,
  conversationSource,
  settingSource,
  actionSource,
]
