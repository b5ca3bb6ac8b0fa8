/** Why turns fail, in words, by the code of the failure; a code that is not here stands for itself. */
import { type Translate, texts, useText } from '../text/text.ts'

const turnErrorText = texts({
  en: {
    answer_too_large: 'The answer was too large',
    approval_denied: 'Refused by an operator',
    approval_expired: 'Nobody decided in time',
    attempts_exhausted: 'Interrupted too often',
    backlog_full: 'Too many turns wait',
    bad_request: 'The model refused the request',
    budget_exceeded: 'The budget is spent',
    call_timeout: 'The model took too long',
    calls_full: 'Too many model calls at once',
    cancelled: 'Cancelled',
    client_gone: 'The caller hung up',
    context_too_long: 'The conversation is too long for the model',
    database_down: 'The database was down',
    deadline_exceeded: 'The turn took too long',
    endpoint_credentials: 'The model endpoint refused the key',
    endpoint_error: 'The model endpoint failed',
    endpoint_overloaded: 'The model endpoint is overloaded',
    endpoint_unreachable: 'The model endpoint cannot be reached',
    garbage: 'The model endpoint sent an unreadable answer',
    interrupted: 'Interrupted by a restart',
    model_unknown: 'The endpoint does not know the model',
    not_configured: 'No model is configured',
    quota_exceeded: 'The quota at the model endpoint is spent',
    rate_limited: 'The model endpoint limits the rate',
    stream_cut: 'The connection to the model broke',
    stream_silent: 'The model went silent',
    unknown_agent: 'There is no such agent',
  },
  ru: {
    answer_too_large: 'Ответ слишком велик',
    approval_denied: 'Отклонено оператором',
    approval_expired: 'Никто не решил вовремя',
    attempts_exhausted: 'Прерван слишком много раз',
    backlog_full: 'Слишком много ходов в очереди',
    bad_request: 'Модель не приняла запрос',
    budget_exceeded: 'Бюджет исчерпан',
    call_timeout: 'Модель отвечала слишком долго',
    calls_full: 'Слишком много вызовов модели сразу',
    cancelled: 'Отменён',
    client_gone: 'Вызывающий отключился',
    context_too_long: 'Разговор слишком длинный для модели',
    database_down: 'База данных не работала',
    deadline_exceeded: 'Ход занял слишком много времени',
    endpoint_credentials: 'Конечная точка модели не приняла ключ',
    endpoint_error: 'Сбой конечной точки модели',
    endpoint_overloaded: 'Конечная точка модели перегружена',
    endpoint_unreachable: 'Конечная точка модели недоступна',
    garbage: 'Конечная точка модели прислала нечитаемый ответ',
    interrupted: 'Прерван перезапуском',
    model_unknown: 'Конечная точка не знает такой модели',
    not_configured: 'Модель не настроена',
    quota_exceeded: 'Квота у конечной точки модели исчерпана',
    rate_limited: 'Конечная точка модели ограничивает частоту',
    stream_cut: 'Связь с моделью оборвалась',
    stream_silent: 'Модель замолчала',
    unknown_agent: 'Такого агента нет',
  },
})

/** @returns the words for a code */
export function useTurnErrorText(): (code: string) => string {
  const t = useText(turnErrorText) as Translate<Readonly<Record<string, string>>>
  return (code) => (Object.hasOwn(turnErrorText.en, code) ? t(code) : code)
}
