/** Texts of the page on workspaces. */
import { texts } from '../../text/text.ts'

export const workspacesText = texts({
  en: {
    title: 'Workspaces',
    about:
      'Each has its own conversations, agents, channels, keys, operators and audit log. Those where you have a role are listed here.',
    make: 'New workspace',
    makeWhy: 'You become its owner. Roles for others are given there, on the page on operators.',
    made: '“{name}” is created, and you own it. Go there to give others a role, and to create its agents and channels.',
    nameHint: 'Up to 100 characters.',
    role: 'Your role',
    here: 'You are here',
    since: 'Created',
    go: 'Go there',
    goTo: 'Go to {name}',
    operators: 'Operators',
    renameTitle: 'Rename {name}',
    renameWhy: 'A workspace is renamed by whoever is in it.',
    stay: 'Stay here',
    full: 'An installation can have 1,000 workspaces at most.',
    empty: 'You have no role in any workspace',
  },
  ru: {
    title: 'Пространства',
    about:
      'У каждого свои разговоры, агенты, каналы, ключи, операторы и журнал аудита. Здесь те, в которых у вас есть роль.',
    make: 'Новое пространство',
    makeWhy: 'Вы станете его владельцем. Роли другим дают там, на странице операторов.',
    made: '«{name}» создано, вы его владелец. Перейдите туда, чтобы дать роли другим и завести агентов и каналы.',
    nameHint: 'До 100 знаков.',
    role: 'Ваша роль',
    here: 'Вы здесь',
    since: 'Создано',
    go: 'Перейти',
    goTo: 'Перейти: {name}',
    operators: 'Операторы',
    renameTitle: 'Переименовать: {name}',
    renameWhy: 'Переименовать можно только то пространство, в котором вы находитесь.',
    stay: 'Остаться здесь',
    full: 'В одной установке не больше 1 000 пространств.',
    empty: 'У вас нет роли ни в одном пространстве',
  },
})
