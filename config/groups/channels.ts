/** Group Channels: who is answered over channels, and what the web chat keeps. */
import { bool, choice } from '../setting.ts'

export const channels = {
  SERVICE_CONFIDENTIAL_PERSONA: bool(false, {
    changedBy: 'admin',
    apply: 'restart',
    help: {
      en: 'The web-chat agent neither discloses nor keeps persona details.',
      ru: 'Агент веб-чата не раскрывает и не запоминает сведения о персоне.',
    },
  }),
  SERVICE_INBOUND_REQUIRE_BINDING: choice(['true', 'false'], 'true', {
    apply: 'live',
    help: {
      en: 'true: senders who are not provisioned users with a role are ignored.',
      ru: 'true: отправители без заведённой привязки с ролью остаются без ответа.',
    },
  }),
}
