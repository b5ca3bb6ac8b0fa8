/** Takes a channel's secrets out of text that comes from outside: a server may say back what it was told, its path included. */

const redacted = '[redacted]'

/** @param secrets of letters, digits, `-`, `_` and `:`, too long to occur by chance; what follows a colon counts alone, too */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), secret.slice(secret.indexOf(':') + 1)])
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  // None of those characters means anything in a regular expression.
  const pattern = new RegExp(longestFirst.join('|'), 'gi')
  return (text) => text.replace(pattern, redacted)
}
