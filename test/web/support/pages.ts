/** The UI's list of pages. Imported late: its types are of a browser's world, which the tests' own are not. */
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
