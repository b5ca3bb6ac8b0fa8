/** Groups LLM and Knowledge connectors: the models behind the agents, and what feeds them. */
import { choice, duration, int, optionalNumber, secret, text, unused, url } from '../setting.ts'

export const llm = {
  SERVICE_LLM_PROVIDER: text(
    '',
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Model backend: blank or compatible for an endpoint, subscription for that transport.',
        ru: 'Модель: пусто или compatible для конечной точки, subscription для подписки.',
      },
    },
    64,
  ),
  SERVICE_LLM_MODEL: text(
    '',
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Model name sent on every turn; blank: the name in the request.',
        ru: 'Имя модели в каждом запросе к ней; пусто: имя из запроса клиента.',
      },
    },
    256,
  ),
  SERVICE_LLM_GATEWAY_URL: url({
    apply: 'live',
    help: {
      en: 'Base URL of the compatible endpoint; blank: the native API when its key is set, else the demonstration model.',
      ru: 'Адрес совместимой конечной точки; пусто: родной API, если задан его ключ, иначе демонстрационная модель.',
    },
  }),
  SERVICE_LLM_API_KEY: secret({
    changedBy: 'admin',
    apply: 'live',
    help: {
      en: 'Bearer key for the compatible endpoint; blank: none is sent.',
      ru: 'Ключ совместимой конечной точки; пусто: не отправляется.',
    },
  }),
  SERVICE_LLM_FALLBACKS: text(
    '',
    {
      apply: 'live',
      help: {
        en: 'Where a call goes when its model endpoint is out, in this order: names of endpoints, or name/model, separated by commas.',
        ru: 'Куда идёт вызов, когда конечная точка модели не отвечает, по порядку: имена конечных точек или имя/модель через запятую.',
      },
    },
    2_000,
  ),
  SERVICE_LLM_RETRIES: int(
    3,
    { min: 0, max: 20 },
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Retries after a transient failure of a model call.',
        ru: 'Сколько раз повторять вызов модели после временного сбоя.',
      },
    },
  ),
  SERVICE_LLM_CALL_TIMEOUT_S: int(
    120,
    { min: 0, max: 86_400 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Seconds that one model call may take, retries included; 0: no limit.',
        ru: 'Секунд на один вызов модели вместе с повторами; 0: без предела.',
      },
    },
  ),
  SERVICE_LLM_TEMPERATURE: optionalNumber(
    '',
    { min: 0, max: 2 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Temperature where a request sets none; blank: not sent.',
        ru: 'Температура, если запрос её не задаёт; пусто: не отправляется.',
      },
    },
  ),
  SERVICE_LLM_TOP_P: optionalNumber(
    '',
    { min: 0, max: 1 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Nucleus threshold where a request sets none; blank: not sent.',
        ru: 'Порог top_p, если запрос его не задаёт; пусто: не отправляется.',
      },
    },
  ),
  SERVICE_CASCADE_STRONG_MODEL: text(
    '',
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Stronger model for long or complex requests; blank: off.',
        ru: 'Более сильная модель для длинных и сложных запросов; пусто: выключено.',
      },
    },
    256,
  ),
  SERVICE_CASCADE_MIN_CHARS: int(
    0,
    { min: 0, max: 100_000_000 },
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Request length at which the stronger model is used; 0: 4,000.',
        ru: 'Длина запроса, с которой берётся более сильная модель; 0: 4000.',
      },
    },
  ),
  SERVICE_ROUTER_SIMPLE_MODEL: text(
    '',
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Model for simple turns; blank: no such band.',
        ru: 'Модель для простых ответов; пусто: такой ступени нет.',
      },
    },
    256,
  ),
  SERVICE_ROUTER_STANDARD_MODEL: text(
    '',
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Model for standard turns; blank: no such band.',
        ru: 'Модель для обычных ответов; пусто: такой ступени нет.',
      },
    },
    256,
  ),
  SERVICE_ROUTER_COMPLEX_MODEL: text(
    '',
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Model for complex turns; blank: no such band.',
        ru: 'Модель для сложных ответов; пусто: такой ступени нет.',
      },
    },
    256,
  ),
  SERVICE_SUBSCRIPTION_BASE_URL: url({
    apply: 'restart',
    help: { en: 'Base of the subscription transport.', ru: 'Адрес подписки.' },
  }),
  SERVICE_SUBSCRIPTION_MODEL: text(
    '',
    {
      changedBy: 'admin',
      apply: 'restart',
      help: {
        en: 'Model of the subscription transport; blank: the vendor’s default.',
        ru: 'Модель подписки; пусто: выбор поставщика.',
      },
    },
    256,
  ),
  SERVICE_SUBSCRIPTION_ACCESS_TOKEN: secret({
    changedBy: 'admin',
    apply: 'restart',
    help: { en: 'Access token of the subscription transport.', ru: 'Токен доступа подписки.' },
  }),
  SERVICE_SUBSCRIPTION_MAX_OUTPUT_TOKENS: int(
    0,
    { min: 0, max: 10_000_000 },
    {
      changedBy: 'admin',
      apply: 'live',
      help: {
        en: 'Cap on output tokens of a turn, reasoning included; 0: none.',
        ru: 'Предел выходных токенов ответа вместе с рассуждением; 0: без предела.',
      },
    },
  ),
  SERVICE_SUBSCRIPTION_REASONING_EFFORT: choice(
    ['none', 'low', 'medium', 'high', 'xhigh'],
    'low',
    {
      changedBy: 'admin',
      apply: 'live',
      help: { en: 'Reasoning depth where the agent sets none.', ru: 'Глубина рассуждения, если агент её не задаёт.' },
    },
    'low',
  ),
  SERVICE_NATIVE_API: choice(['', 'chat', 'responses'], '', {
    changedBy: 'admin',
    apply: 'restart',
    help: { en: 'Style of the native API; blank: detected.', ru: 'Вид родного API; пусто: определяется сам.' },
  }),
  SERVICE_NATIVE_API_KEY: secret({
    changedBy: 'admin',
    apply: 'restart',
    help: { en: 'Account key of the native hosted-model loop.', ru: 'Ключ учётной записи родного API.' },
  }),
  SERVICE_NATIVE_BASE_URL: url({ apply: 'restart', help: { en: 'Base of the native API.', ru: 'Адрес родного API.' } }),
  SERVICE_NATIVE_MODEL: text(
    '',
    {
      changedBy: 'admin',
      apply: 'restart',
      help: { en: 'Model of the native loop, once its key is set.', ru: 'Модель родного API, когда задан его ключ.' },
    },
    256,
  ),
}

export const knowledge = unused({
  SERVICE_KB_SYNC_INTERVAL: duration('', {
    changedBy: 'admin',
    apply: 'restart',
    help: {
      en: 'How often knowledge connectors are read again; blank or 0: never.',
      ru: 'Как часто перечитываются источники знаний; пусто или 0: никогда.',
    },
  }),
})
