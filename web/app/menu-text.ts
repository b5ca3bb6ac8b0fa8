/** Texts of the account's menu. */
import { texts } from '../text/text.ts'

export const menuText = texts({
  en: {
    workspaces: 'Workspaces',
    light: 'Light',
    dark: 'Dark',
    system: 'As the system',
  },
  ru: {
    workspaces: 'Пространства',
    light: 'Светлая',
    dark: 'Тёмная',
    system: 'Как в системе',
  },
})
