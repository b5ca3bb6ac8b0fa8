/** Texts of the list of turns. */
import { texts } from '../../text/text.ts'

export const turnsText = texts({
  en: {
    title: 'Turns',
    about: 'Each answer of an agent or model is a turn: how it ended, its latency and its tokens.',
    model: 'Model',
    agent: 'Agent',
    when: 'Started',
    anyTime: 'Any time',
    lastHour: 'In the last hour',
    lastDay: 'In the last day',
    lastWeek: 'In the last week',
    conversation: 'Conversation',
    tokens: 'Tokens in / out',
    took: 'Latency',
    error: 'Error',
    wholeName: 'Exact name',
    empty: 'No turns yet. The first comes with the first message.',
  },
  ru: {
    title: 'Ходы',
    about: 'Каждый ответ агента или модели — это ход: чем кончился, сколько занял и чего стоил.',
    model: 'Модель',
    agent: 'Агент',
    when: 'Начат',
    anyTime: 'Когда угодно',
    lastHour: 'За последний час',
    lastDay: 'За сутки',
    lastWeek: 'За неделю',
    conversation: 'Разговор',
    tokens: 'Токены: вход / выход',
    took: 'Задержка',
    error: 'Ошибка',
    wholeName: 'Точное имя',
    empty: 'Ходов пока нет. Первый появится с первым сообщением.',
  },
})
