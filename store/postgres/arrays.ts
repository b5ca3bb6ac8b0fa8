/**
 * Arrays of PostgreSQL's own types. The driver (3.4.9) can ask each server for its array types at each connect, but nobody
 * waits for that query: where the connection is lost meanwhile, its failure is a rejection that nothing can catch. Our
 * statements use none but these, whose numbers are the same on every server.
 */
import type { Sql as Driver } from 'postgres'

/** Elements by the number of their type, and the arrays of them (`pg_type.typarray`). */
const arrayTypes: readonly (readonly [element: number, array: number])[] = [
  [16, 1000], // boolean
  [17, 1001], // bytea
  [18, 1002], // "char"
  [19, 1003], // name
  [20, 1016], // bigint
  [21, 1005], // smallint
  [23, 1007], // integer
  [25, 1009], // text
  [26, 1028], // oid
  [114, 199], // json
  [700, 1021], // real
  [701, 1022], // double precision
  [1042, 1014], // char
  [1043, 1015], // varchar
  [1082, 1182], // date
  [1114, 1115], // timestamp
  [1184, 1185], // timestamptz
  [1186, 1187], // interval
  [1700, 1231], // numeric
  [869, 1041], // inet
  [2950, 2951], // uuid
  [3802, 3807], // jsonb
]

/** The driver's own tables of how values are read and written; it has them, its types do not. */
interface TypeTables {
  parsers: Record<number, (text: string) => unknown>
  serializers: Record<number, (value: unknown) => unknown>
}

/** Teaches a pool to read and to write them. */
export function addArrayTypes(driver: Driver): void {
  const { parsers, serializers } = driver.options as unknown as TypeTables
  for (const [element, array] of arrayTypes) {
    const parse = parsers[element] ?? String
    const serialize = serializers[element] ?? String
    parsers[array] = (text) => readArray(text, parse)
    serializers[array] = (value) => (Array.isArray(value) ? writeArray(value, serialize) : value)
  }
}

function writeArray(items: readonly unknown[], serialize: (value: unknown) => unknown): string {
  const texts = items.map((item) => {
    if (item === null) return 'null'
    if (item === undefined) throw new TypeError('undefined is no element of an array')
    if (Array.isArray(item)) return writeArray(item, serialize)
    return `"${String(serialize(item)).replace(/["\\]/g, '\\$&')}"`
  })
  return `{${texts.join(',')}}`
}

/** @param text as the server writes it: `{a,"b \"c\"",NULL,{d}}`, with its bounds in front where they do not begin at 1 */
function readArray(text: string, parse: (text: string) => unknown): unknown[] {
  let at = text.indexOf('{') + 1

  function list(): unknown[] {
    const items: unknown[] = []
    while (at < text.length && text[at] !== '}') {
      if (text[at] === ',') at++
      else if (text[at] === '{') {
        at++
        items.push(list())
      } else items.push(text[at] === '"' ? quoted() : plain())
    }
    at++
    return items
  }

  function plain(): unknown {
    const from = at
    while (text[at] !== ',' && text[at] !== '}') at++
    const word = text.slice(from, at)
    return word === 'NULL' ? null : parse(word)
  }

  function quoted(): unknown {
    const from = ++at
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    return parse(text.slice(from, at++).replace(/\\(.)/gs, '$1'))
  }

  return list()
}
