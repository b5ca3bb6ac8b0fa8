/** Group Alerts: how often rules are evaluated, and how mail of the service itself is sent. */
import { int, text } from '../setting.ts'

export const alerts = {
  SERVICE_ALERT_INTERVAL_S: int(
    15,
    { min: 1, max: 3_600 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Seconds between two evaluations of the alert rules.',
        ru: 'Сколько секунд между двумя проверками правил тревог.',
      },
    },
  ),
  SERVICE_MAIL_CHANNEL: text(
    '',
    {
      apply: 'live',
      help: {
        en: 'The e-mail channel by whose server the service sends mail of its own, such as alerts; blank: it sends none.',
        ru: 'Канал электронной почты, через сервер которого служба шлёт свои письма, например тревоги; пусто: не шлёт.',
      },
    },
    64,
  ),
}
