/** Texts of the list of channels. */
import { texts } from '../../text/text.ts'

export const channelsText = texts({
  en: {
    title: 'Channels',
    about: 'Where people write to an agent, and where its answers go.',
    create: 'New channel',
    adapter: 'Kind',
    agent: 'Agent',
    health: 'Health',
    waiting: 'Waiting turns',
    undelivered: 'Not delivered, 24 h',
    empty:
      'No channels yet. Create one: an application that posts messages, a mailbox, or a bot of a chat application.',
    off: 'Off',
    paused: 'Paused',
    none: 'On, no connection needed',
    connecting: 'Connecting',
    connected: 'Connected',
    away: 'Disconnected, retrying',
  },
  ru: {
    title: 'Каналы',
    about: 'Откуда люди пишут агенту и куда уходят его ответы.',
    create: 'Новый канал',
    adapter: 'Вид',
    agent: 'Агент',
    health: 'Состояние',
    waiting: 'Ждут ходов',
    undelivered: 'Не доставлено за сутки',
    empty: 'Каналов пока нет. Создайте: приложение, которое присылает сообщения, почтовый ящик или бот в мессенджере.',
    off: 'Выключен',
    paused: 'Пауза',
    none: 'Включён, связь не нужна',
    connecting: 'Соединяется',
    connected: 'На связи',
    away: 'Нет связи, повторяем',
  },
})
