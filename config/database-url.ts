/** The address of a PostgreSQL database, as libpq writes it: one server, or several of which one takes writes. */

export interface ServerPlace {
  host: string
  port: number
}

/** Which of several servers is meant. */
export const serverTargets = ['any', 'read-write', 'primary', 'read-only', 'standby', 'prefer-standby'] as const
export type ServerTarget = (typeof serverTargets)[number]

export interface DatabaseUrl {
  /** In the order of the address. */
  places: ServerPlace[]
  /** Undefined: the address does not say. */
  target: ServerTarget | undefined
  /** The address with one server of the list, and without what only a list has. */
  urlOf(place: ServerPlace): string
}

export const serversMax = 8

const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([/?].*)?$/
const placeForm = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i

/** @returns undefined: it is none. `postgres://user:password@h1:5432,h2:5433/database?target_session_attrs=read-write` is one */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, before, list = '', behind = ''] = form.exec(text) ?? []
  if (before === undefined) return undefined
  const texts = list.split(',')
  const isOne = texts.length === 1
  if (isOne && !URL.canParse(text)) return undefined
  const found = texts.map((each) => placeOf(each, isOne))
  const places = found.filter((place) => place !== undefined)
  if (places.length < found.length || places.length > serversMax) return undefined
  const urlOf = ({ host, port }: ServerPlace): string => {
    const url = new URL(`${before}${isOne ? list : `${host.includes(':') ? `[${host}]` : host}:${port}`}${behind}`)
    if (url.searchParams.has('target_session_attrs')) url.searchParams.delete('target_session_attrs')
    return url.href
  }
  const [first] = places
  if (!first || !URL.canParse(`${before}localhost${behind}`)) return undefined
  const named = new URL(`${before}localhost${behind}`).searchParams.get('target_session_attrs')
  const target = serverTargets.find((each) => each === named)
  return named !== null && target === undefined ? undefined : { places, target, urlOf }
}

/** @param isAlone a list of one, which may be blank: then the query says where the server is */
function placeOf(text: string, isAlone: boolean): ServerPlace | undefined {
  if (text === '' && isAlone) return { host: '', port: 5_432 }
  const [, host, port = '5432'] = placeForm.exec(text) ?? []
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
