/** The text that a model generated in a message or a delta of any kind, for an estimate of its tokens. */
import { isRecord } from './fields.ts'

/** Fields that hold no text of the model's. */
const fieldsWithoutText = new Set(['role', 'id', 'type', 'index', 'finish_reason', 'logprobs', 'audio', 'image_url'])

export function generatedText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(generatedText).join('')
  if (!isRecord(value)) return ''
  let text = ''
  for (const name in value) if (!fieldsWithoutText.has(name)) text += generatedText(value[name])
  return text
}
