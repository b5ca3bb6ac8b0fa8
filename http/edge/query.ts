/** Parses a query string or a URL-encoded form strictly: invalid encoding and repeated names are refused. */
import { isUtf8 } from 'node:buffer'
import { badRequest } from '../error.ts'

const parametersMax = 64
const empty: Readonly<Record<string, string>> = Object.freeze({})

/** What the words of a refusal call it, and one of its fields. */
interface Named {
  whole: string
  field: string
}

const queryNames: Named = { whole: 'query string', field: 'query parameter' }
const formNames: Named = { whole: 'form', field: 'field' }

/** @param raw without the question mark @throws ApiError 400 */
export function parseQuery(raw: string): Readonly<Record<string, string>> {
  return raw === '' ? empty : parsePairs(raw, queryNames)
}

/** A body of the type application/x-www-form-urlencoded. Names are taken as they are: brackets nest nothing. @throws ApiError 400 */
export function parseForm(bytes: Buffer): Readonly<Record<string, string>> {
  if (bytes.length === 0) throw badRequest('The request has no body; this endpoint takes a form.')
  if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8.')
  return parsePairs(bytes.toString('utf8'), formNames)
}

function parsePairs(raw: string, { whole, field }: Named): Readonly<Record<string, string>> {
  const pairs = raw.split('&', parametersMax + 1)
  if (pairs.length > parametersMax) throw badRequest(`The ${whole} has more than ${parametersMax} ${field}s.`)
  const query: Record<string, string> = Object.create(null)
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), whole)
    if (name in query) throw badRequest(`The ${field} ${JSON.stringify(name)} is given more than once.`, name)
    query[name] = equals < 0 ? '' : decode(pair.slice(equals + 1), whole)
  }
  return query
}

function decode(text: string, whole: string): string {
  if (text.includes('%00')) throw badRequest(`The ${whole} has a NUL character.`)
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw badRequest(`The ${whole} has a percent sign that does not encode UTF-8.`)
  }
}
