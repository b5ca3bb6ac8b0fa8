/** Takes a channel's secrets out of text that comes from outside: a server may say back what it was told, its path included. */

const redacted = '[redacted]'

/** @param secrets of letters, digits, `-` and `_`, too long to occur by chance; of a bot token only what follows the colon is one */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  // None of those characters means anything in a regular expression, and none is written otherwise in a URL.
  const hidden = secrets.map((secret) => secret.slice(secret.indexOf(':') + 1)).sort((a, b) => b.length - a.length)
  const pattern = new RegExp(hidden.join('|'), 'gi')
  return (text) => text.replace(pattern, redacted)
}
