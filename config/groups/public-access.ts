/** Group Public access: the public addresses of the service. */
import { int, unused, url } from '../setting.ts'

export const publicAccess = {
  SERVICE_PUBLIC_URL: url({
    apply: 'restart',
    help: {
      en: 'The public address of the gateway.',
      ru: 'Адрес, по которому шлюз доступен снаружи.',
    },
  }),
  ...unused({
    REMOTE_AGENT_GATEWAY_BASE_URL: url({
      apply: 'restart',
      help: {
        en: 'The address at which remote agents reach their gateway.',
        ru: 'Адрес, по которому удалённые агенты находят свой шлюз.',
      },
    }),
    REMOTE_AGENT_PORT: int(
      8080,
      { min: 1, max: 65_535 },
      { apply: 'restart', help: { en: 'Port of the remote-agent gateway.', ru: 'Порт шлюза удалённых агентов.' } },
    ),
  }),
  CHATAPP_PUBLIC_URL: url({
    apply: 'restart',
    help: {
      en: 'Where messengers reach SERVICE_CHATAPP_CONNECTOR_PORT, for webhooks; blank: polling.',
      ru: 'Адрес, по которому мессенджеры видят SERVICE_CHATAPP_CONNECTOR_PORT, для вебхуков; пусто: опрос.',
    },
  }),
  SERVICE_CHATAPP_CONNECTOR_PORT: int(
    8091,
    { min: 1, max: 65_535 },
    {
      apply: 'restart',
      help: { en: 'Port of the listener for webhooks of messengers.', ru: 'Порт приёмника вебхуков мессенджеров.' },
    },
  ),
}
