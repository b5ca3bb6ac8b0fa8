/** URLs that a model writes. */
import { ToolFailed } from '../tool.ts'

const urlCharactersMax = 8_192

/** @throws ToolFailed `bad_url` */
export function readUrl(text: string, base?: URL): URL {
  if (text.length > urlCharactersMax)
    throw new ToolFailed('bad_url', `The URL is longer than ${urlCharactersMax} characters.`)
  if (!URL.canParse(text, base?.href))
    throw new ToolFailed('bad_url', 'This is not a URL; write it in full, with https://.')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolFailed('bad_url', 'Only http and https URLs can be called.')
  if (url.username !== '' || url.password !== '')
    throw new ToolFailed('bad_url', 'A URL with a user name or a password in it is refused; leave that part out.')
  if (url.hostname.endsWith('.')) throw new ToolFailed('bad_url', 'The host ends in a dot; write it without.')
  if (url.href.length > urlCharactersMax)
    throw new ToolFailed('bad_url', `The URL is longer than ${urlCharactersMax} characters.`)
  return url
}
