/** Words of the shell: what shows before any page does. */
import { texts } from '../text/text.ts'

export const appText = texts({
  en: {
    product: 'Agent Platform',
    account: 'Account',
    starting: 'Reaching the service…',
    skip: 'Skip to the content',
    notFound: 'There is no such page.',
    pageBroke: 'This page met a defect.',
    beyondRole: 'Not for your role',
    lacks: 'It lacks the permission {permission}.',
  },
  ru: {
    product: 'Платформа агентов',
    account: 'Учётная запись',
    starting: 'Связь с сервисом…',
    skip: 'К содержанию',
    notFound: 'Такой страницы нет.',
    pageBroke: 'На этой странице произошла ошибка.',
    beyondRole: 'Не для вашей роли',
    lacks: 'У неё нет права {permission}.',
  },
})
