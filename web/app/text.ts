/** Texts of the shell: what shows before any page does. */
import { texts } from '../text/text.ts'

export const appText = texts({
  en: {
    product: 'Agent Platform',
    account: 'Account',
    starting: 'Connecting to the service…',
    skip: 'Skip to content',
    notFound: 'Page not found.',
    pageCrashed: 'This page failed.',
    beyondRole: 'No access',
    lacks: 'It lacks the permission {permission}.',
  },
  ru: {
    product: 'Платформа агентов',
    account: 'Учётная запись',
    starting: 'Подключение к сервису…',
    skip: 'К содержимому',
    notFound: 'Страница не найдена.',
    pageCrashed: 'На этой странице произошла ошибка.',
    beyondRole: 'Нет доступа',
    lacks: 'У неё нет права {permission}.',
  },
})
