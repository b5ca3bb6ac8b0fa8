/** The answer to a message that was blocked. */

const english =
  'I can’t help with this message: it asks me to step outside the rules I work by. Please put it differently.'
const russian =
  'Не могу ответить на это сообщение: в нём просьба выйти за рамки моих правил. Сформулируйте его, пожалуйста, иначе.'

/**
 * @param locale as in SERVICE_LOCALE: `ru-RU`, `en`, `ru_RU.UTF-8`; any other language gets English
 * @param override as in SERVICE_MODERATION_REFUSAL; blank: built in
 */
export function refusalText(locale: string, override: string): string {
  if (override.trim() !== '') return override
  return /^ru(?:[^a-z]|$)/i.test(locale.trim()) ? russian : english
}
