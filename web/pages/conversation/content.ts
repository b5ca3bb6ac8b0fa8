/** The content of a message as text. */
import type { Translate } from '../../text/text.ts'
import type { conversationText } from './text.ts'

/** Parts other than text are shown by name only. */
export function plainText(content: unknown, t: Translate<typeof conversationText.en>): string {
  if (typeof content === 'string') return content
  if (content === null || content === undefined) return ''
  if (!Array.isArray(content)) return JSON.stringify(content, null, 2)
  return content
    .map((part: unknown) => {
      const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown }
      return typeof text === 'string'
        ? text
        : `[${t('part', { name: typeof type === 'string' ? type.slice(0, 50) : '?' })}]`
    })
    .join('\n\n')
}
