/** Texts of the bar's menus. */
import { texts } from '../text/text.ts'

export const menuText = texts({
  en: {
    workspaces: 'Workspaces',
    manageWorkspaces: 'All workspaces',
    light: 'Light',
    dark: 'Dark',
    system: 'As the system',
    keys: 'Keyboard',
    openApi: 'OpenAPI document',
    components: 'Parts of this UI',
    about: 'About',
  },
  ru: {
    workspaces: 'Пространства',
    manageWorkspaces: 'Все пространства',
    light: 'Светлая',
    dark: 'Тёмная',
    system: 'Как в системе',
    keys: 'Клавиатура',
    openApi: 'Документ OpenAPI',
    components: 'Части интерфейса',
    about: 'О сервисе',
  },
})
