/** Group Web UI: where the admin UI is served. */
import { bool, listenAddress, url } from '../setting.ts'

export const webUi = {
  SERVICE_WEBUI_ENABLED: bool(true, {
    apply: 'restart',
    help: { en: 'Serve the admin UI on a separate port.', ru: 'Показывать веб-интерфейс на отдельном порту.' },
  }),
  SERVICE_WEBUI_ADDR: listenAddress(':8781', {
    apply: 'restart',
    help: { en: 'Where the admin UI listens.', ru: 'Адрес веб-интерфейса.' },
  }),
  SERVICE_WEBUI_API_BASE: url({
    apply: 'restart',
    help: {
      en: 'Origin that the UI calls; blank: the public URL, then the gateway’s own address.',
      ru: 'Куда обращается интерфейс; пусто: внешний адрес, затем адрес шлюза.',
    },
  }),
  SERVICE_WEBUI_ORIGIN: url({
    apply: 'restart',
    help: {
      en: 'Origin of the UI in browsers, allowed by CORS; blank: from its address.',
      ru: 'Источник интерфейса в браузерах, разрешённый в CORS; пусто: из его адреса.',
    },
  }),
}
