/** Removes the values that the operator configured for a server from its results, its errors and our records. */
import { isSecretName, redacted, scrub } from '../../runtime/log/redact.ts'
import type { ServerDescription } from './server-description.ts'

export interface Redaction {
  /** For errors and records: removes every configured value. */
  record(text: string): string
  /** For results: removes secrets only. A configured folder may well be in a result. */
  result(text: string): string
}

/** Shorter ones are words such as `true`; taking them out would garble text and hide nothing. */
const valueLengthMin = 6
const secretNames = /pat$|auth|cred|sign|session|pass|access|key/i

interface Value {
  text: string
  isSecret: boolean
}

export function redactionFor(server: ServerDescription): Redaction {
  const values = (server.kind === 'stdio' ? processValues(server) : httpValues(server)).filter(
    ({ text }) => text.length >= valueLengthMin,
  )
  const all = longestFirst(values)
  const secrets = longestFirst(values.filter(({ isSecret }) => isSecret))
  return {
    record: (words) => scrub(without(all, words)),
    result: (words) => without(secrets, words),
  }
}

function processValues({ args, env }: Extract<ServerDescription, { kind: 'stdio' }>): Value[] {
  const variables = Object.entries(env).map(([name, text]) => ({ text, isSecret: isSecret(name) }))
  const options = args.flatMap((arg, at) => {
    const [, name = '', text = ''] = /^--?([\w-]+)=(.+)$/s.exec(arg) ?? []
    if (name !== '') return [{ text, isSecret: isSecret(name) }]
    const before = args[at - 1] ?? ''
    return [{ text: arg, isSecret: before.startsWith('-') && isSecret(before) }, ...inUrl(arg)]
  })
  return [...variables, ...options].flatMap((value) => [value, ...inUrl(value.text)])
}

function httpValues({ url, headers }: Extract<ServerDescription, { kind: 'http' }>): Value[] {
  const sent = Object.entries(headers).flatMap(([name, text]) => {
    const isKnownHarmless = /^(accept|accept-language|content-type|user-agent)$/i.test(name)
    // A server may echo a header whole, or its last word, which is the token.
    return [text, text.split(' ').at(-1) ?? ''].map((part) => ({ text: part, isSecret: !isKnownHarmless }))
  })
  return [...sent, ...inUrl(url)]
}

/** A password in an address, and what its query calls a key or a token. */
function inUrl(text: string): Value[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return []
  const url = new URL(text)
  const basic = url.username === '' ? '' : Buffer.from(`${userOf(url)}:${passwordOf(url)}`).toString('base64')
  return [
    ...[url.password, passwordOf(url), basic].map((secret) => ({ text: secret, isSecret: true })),
    // A user without a password is a token.
    { text: url.username, isSecret: url.password === '' },
    ...[...url.searchParams].flatMap(([name, value]) =>
      [value, encodeURIComponent(value)].map((form) => ({ text: form, isSecret: isSecret(name) })),
    ),
  ]
}

export function userOf(url: URL): string {
  return decoded(url.username)
}

export function passwordOf(url: URL): string {
  return decoded(url.password)
}

/** As it stands where its percent signs encode nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function isSecret(name: string): boolean {
  return isSecretName(name) || secretNames.test(name)
}

/** Longest first, so that a value which is part of another does not leave half of it. */
function longestFirst(values: Value[]): string[] {
  return [...new Set(values.map(({ text }) => text))].sort((one, other) => other.length - one.length)
}

function without(secrets: readonly string[], words: string): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, redacted), words)
}
