/** Parses a query string strictly: invalid encoding and repeated parameters are refused. */
import { badRequest } from '../error.ts'

const parametersMax = 64
const empty: Readonly<Record<string, string>> = Object.freeze({})

/** @param raw without the question mark @throws ApiError 400 */
export function parseQuery(raw: string): Readonly<Record<string, string>> {
  if (raw === '') return empty
  const pairs = raw.split('&', parametersMax + 1)
  if (pairs.length > parametersMax) throw badRequest(`The query string has more than ${parametersMax} parameters.`)
  const query: Record<string, string> = Object.create(null)
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    if (name in query) throw badRequest(`The query parameter ${JSON.stringify(name)} is given more than once.`, name)
    query[name] = equals < 0 ? '' : decode(pair.slice(equals + 1))
  }
  return query
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw badRequest('The query string has a percent sign that does not encode UTF-8.')
  }
}
