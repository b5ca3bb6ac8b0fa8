/** Texts of the list of agents. */
import { texts } from '../../text/text.ts'

export const agentsText = texts({
  en: {
    title: 'Agents',
    about: 'Who answers: a model, instructions, and the tools it may call.',
    create: 'New agent',
    model: 'Model',
    modelOfSettings: 'from the settings',
    version: 'Version',
    changed: 'Updated',
    by: 'Updated by',
    find: 'Part of the name',
    show: 'Show',
    present: 'Agents',
    deleted: 'Deleted agents',
    restore: 'Restore',
    empty: 'No agents yet',
    emptyWhy:
      'The built-in agent answers with the model of the settings and all tools. Make one of the name “default” to replace it, or one of another name for clients to choose.',
    emptyDeleted: 'No deleted agents',
  },
  ru: {
    title: 'Агенты',
    about: 'Кто отвечает: модель, инструкции и доступные инструменты.',
    create: 'Новый агент',
    model: 'Модель',
    modelOfSettings: 'из настроек',
    version: 'Версия',
    changed: 'Обновлён',
    by: 'Кем',
    find: 'Часть названия',
    show: 'Показать',
    present: 'Агенты',
    deleted: 'Удалённые агенты',
    restore: 'Вернуть',
    empty: 'Агентов пока нет',
    emptyWhy:
      'Отвечает встроенный: с моделью из настроек и всеми инструментами. Создайте агента с названием «default», чтобы заменить его, или с другим, чтобы клиенты выбирали.',
    emptyDeleted: 'Удалённых агентов нет',
  },
})
