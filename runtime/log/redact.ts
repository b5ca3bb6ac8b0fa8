/** What must never reach a log line: fields with a secret's name, and texts with a secret's shape. */

export const redacted = '[redacted]'

/** Whole names, lower case, without separators. */
const secretNames = new Set([
  'authorization',
  'proxyauthorization',
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'key',
  'dsn',
  'cookie',
  'cookies',
  'setcookie',
  'credential',
  'credentials',
])

/** Ends of names: `accessToken`, `client_secret`, `SERVICE_LLM_API_KEY`. Not `tokens`, which is a number, nor `keyId`. */
const secretEndings =
  /(?:token|secret|password|passphrase|databaseurl|(?:api|master|private|secret|access|signing|encryption|compat|bootstrap)key)$/

/** Field names are few and repeat, so the answer for each is remembered, up to a limit. */
const answers = new Map<string, boolean>()
const answersMax = 4_096

export function isSecretName(name: string): boolean {
  const answer = answers.get(name)
  if (answer !== undefined) return answer
  const plain = name
    .slice(-128)
    .toLowerCase()
    .replace(/[-_.\s]/g, '')
  const isSecret = secretNames.has(plain) || secretEndings.test(plain)
  if (answers.size < answersMax) answers.set(name, isSecret)
  return isSecret
}

/**
 * Our own keys and those of model vendors. The text is JSON, so a letter before `sk-` may be the end of an escape
 * (`\nsk-…`); any other letter means that it is a word such as `task-queue-name`.
 */
const apiKeyShape = /(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt]))sk-[A-Za-z0-9_-]{8,}/g
const bearerShape = /(bearer|basic) +[A-Za-z0-9._~+/=-]{8,}/gi
/** `user:password@` of a URL; each attempt ends at the next slash, so the scan stays linear. */
const urlPasswordShape = /:\/\/([^\s"'/@:]*):[^\s"'/@]+@/g

/** Removes secrets from a complete line, from any field, message or stack. */
export function scrub(line: string): string {
  let clean = line
  if (clean.includes('sk-')) clean = clean.replace(apiKeyShape, 'sk-[redacted]')
  if (clean.includes('://')) clean = clean.replace(urlPasswordShape, '://$1:[redacted]@')
  return clean.replace(bearerShape, '$1 [redacted]')
}
