/** The UI's list of pages. Imported dynamically: it needs the DOM's types, which the tests do not have. */
import type { Permission } from '../../../http/auth/permissions.ts'

export interface ListedPage {
  path: string
  menu?: { title: { en: string; ru: string } }
  permission: Permission
}

const file = '../../../web/pages/pages.ts'

export const { pages } = (await import(/* @vite-ignore */ new URL(file, import.meta.url).href)) as {
  pages: readonly ListedPage[]
}
