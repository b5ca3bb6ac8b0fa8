/** Where turns come from, in words. */
import type { Answer } from '../api/types.ts'
import { texts } from '../text/text.ts'

export type TurnOrigin = Answer<'GET /v1/admin/turns'>['items'][number]['origin']

export const turnOriginText = texts({
  en: {
    call: 'Chat API',
    responses: 'Responses API',
    channel: 'Channel',
    web: 'Web chat',
    admin: 'Operator',
    eval: 'Evaluation',
    shadow: 'Shadow run',
  },
  ru: {
    call: 'API чата',
    responses: 'API ответов',
    channel: 'Канал',
    web: 'Веб-чат',
    admin: 'Оператор',
    eval: 'Оценка',
    shadow: 'Теневой прогон',
  },
})
