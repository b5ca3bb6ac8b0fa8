/** Group API: who may use the chat endpoint. */
import { onUnlessOff } from '../setting.ts'

export const api = {
  SERVICE_PERSONAL_API_KEYS: onUnlessOff({
    apply: 'restart',
    help: { en: 'off: personal keys may not use the chat endpoint.', ru: 'off: личные ключи не принимаются в чате.' },
  }),
}
