/** Puts untrusted text between two lines that its author cannot predict, so that the model can tell it from instructions. */
import { randomBytes } from 'node:crypto'
import { withoutControlTokens } from './control-tokens.ts'

const labelCharactersMax = 100

/** Invisible and text-direction characters; joiners stay between letters that need them, as in Persian and in emoji. */
const invisible =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u3164\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+|(?<=^|[\0-\x7f])[\u200c\u200d]+/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here
const control = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g
const fence = /<(?=\/?untrusted)/gi

/**
 * @param text of any length; the result is at most a few percent longer
 * @param label its origin, for the model: the tool's name, the address
 * @param boundary letters and digits; random except in tests
 */
export function spotlight(text: string, label: string, boundary: string = randomBytes(9).toString('hex')): string {
  const inner = withoutControlTokens(cleaned(text)).replace(fence, '< ').split(boundary).join(' ')
  return `<untrusted source="${safeLabel(label)}" boundary="${boundary}">\n${inner}\n</untrusted boundary="${boundary}">`
}

function cleaned(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(control, '').replace(invisible, '')
}

function safeLabel(label: string): string {
  return withoutControlTokens(cleaned(label))
    .replace(/["<>\s]+/g, ' ')
    .slice(0, labelCharactersMax)
    .trim()
}
