/** Words of the overview. */
import { texts } from '../../text/text.ts'

export const overviewText = texts({
  en: {
    title: 'Overview',
    about: 'Whether the service is well, and what wants attention.',
    ready: 'Ready',
    notReady: 'Not ready',
    draining: 'Stopping',
    database: 'Database',
    version: 'Version',
    running: 'Running turns',
    waiting: 'Waiting turns',
    conversations: 'Conversations',
    messages: 'Messages',
    channels: 'Channels',
    keys: 'API keys',
    atLeast: 'at least {n}',
  },
  ru: {
    title: 'Обзор',
    about: 'Здоров ли сервис и что требует внимания.',
    ready: 'Готов',
    notReady: 'Не готов',
    draining: 'Останавливается',
    database: 'База данных',
    version: 'Версия',
    running: 'Выполняется ответов',
    waiting: 'Ждут очереди',
    conversations: 'Разговоры',
    messages: 'Сообщения',
    channels: 'Каналы',
    keys: 'Ключи API',
    atLeast: 'не меньше {n}',
  },
})
