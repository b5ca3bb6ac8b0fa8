/** The UI's list of pages. Imported dynamically: it needs the DOM's types, which the tests do not have. */
import type { Permission } from '../../../http/auth/permissions.ts'

interface Label {
  en: string
  ru: string
}

export interface ListedPage {
  path: string
  title: Label
  section?: string
  permission: Permission
}

const folder = '../../../web/pages'
const imported = (name: string): Promise<unknown> =>
  import(/* @vite-ignore */ new URL(`${folder}/${name}.ts`, import.meta.url).href)

export const { pages } = (await imported('pages')) as { pages: readonly ListedPage[] }
const { sections } = (await imported('sections')) as { sections: Readonly<Record<string, { title: Label }>> }

/** The entries of the menu for whoever may see these pages. */
export function menuTitles(mayOpen: (page: ListedPage) => boolean): string[] {
  const names = new Set(pages.filter((page) => !page.path.includes('$') && mayOpen(page)).map(({ section }) => section))
  return Object.entries(sections).flatMap(([name, { title }]) => (names.has(name) ? [title.en] : []))
}
