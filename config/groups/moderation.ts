/** Group Moderation: the guard against hostile text. */
import { onUnlessOff, text } from '../setting.ts'

export const moderation = {
  SERVICE_MODERATION: onUnlessOff({
    apply: 'restart',
    help: {
      en: 'off: no guard against jailbreaks and prompt injection.',
      ru: 'off: без защиты от взлома и внедрения инструкций.',
    },
  }),
  SERVICE_MODERATION_REFUSAL: text(
    '',
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Answer to a blocked request; blank: built in.',
        ru: 'Что сказать на отклонённый запрос; пусто: встроенный текст.',
      },
    },
    4_000,
  ),
}
