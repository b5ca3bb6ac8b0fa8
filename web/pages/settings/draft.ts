/** Changes that are not saved yet: new texts and values to be forgotten, by key, with what was stored when each was begun. */
import type { Answer, Body } from '../../api/types.ts'

export type Setting = Answer<'GET /v1/admin/settings'>['items'][number]
export type Change = { is: 'set'; text: string } | { is: 'unset' }

/** What is stored as far as this browser knows: the text as it is shown, null for nothing, true for a secret. */
type Stored = string | true | null

/** What a change was begun from: whoever stored another value since then is not overwritten unseen. */
interface Begun {
  stored: Stored
  /** Tells one secret from the next, which have no text to be told by. */
  storedAt: string | null
}
export type Draft = ReadonlyMap<string, Change & { from: Begun }>

/** What a setting will be if this is saved; a secret's text stays where it is typed. */
export function withChange(draft: Draft, setting: Setting, change: Change | undefined): Draft {
  const next = new Map(draft)
  if (change === undefined || isNoChange(setting, change)) next.delete(setting.key)
  else next.set(setting.key, { ...change, from: draft.get(setting.key)?.from ?? begunFrom(setting) })
  return next
}

/** The change stands, whatever others have stored by now. */
export function withInsistence(draft: Draft, setting: Setting): Draft {
  const change = draft.get(setting.key)
  return change ? new Map(draft).set(setting.key, { ...change, from: begunFrom(setting) }) : draft
}

/** Without what has become true by itself, such as a value that another operator has stored too. */
export function withoutDone(draft: Draft, items: readonly Setting[]): Draft {
  const done = items.filter((setting) => {
    const change = draft.get(setting.key)
    return change !== undefined && isNoChange(setting, change)
  })
  if (done.length === 0) return draft
  const keys = new Set(done.map(({ key }) => key))
  return new Map([...draft].filter(([key]) => !keys.has(key)))
}

/** Another operator has stored another value since the change was begun. */
export function isOvertaken(draft: Draft, setting: Setting): boolean {
  const from = draft.get(setting.key)?.from
  if (from === undefined) return false
  return from.stored !== storedOf(setting) || (setting.secret && from.storedAt !== setting.stored_at)
}

const begunFrom = (setting: Setting): Begun => ({ stored: storedOf(setting), storedAt: setting.stored_at })

function storedOf({ origin, secret, value }: Setting): Stored {
  if (origin !== 'stored') return null
  return secret ? true : (value ?? '')
}

function isNoChange(setting: Setting, change: Change): boolean {
  if (change.is === 'unset') return setting.origin !== 'stored'
  return change.text === (setting.secret ? '' : (setting.value ?? ''))
}

/** The request that makes the draft true, with what was stored when each change was begun. */
export function requestOf(draft: Draft): Body<'POST /v1/admin/settings'> {
  const set: Record<string, string> = {}
  const unset: string[] = []
  const expected: Record<string, Stored> = {}
  for (const [key, change] of draft) {
    if (change.is === 'set') set[key] = change.text
    else unset.push(key)
    expected[key] = change.from.stored
  }
  return { set, unset, expected }
}

/** What somebody would type instead, without the text of secrets. */
export function commandsOf(draft: Draft, items: readonly Setting[]): string {
  return items
    .flatMap((setting) => {
      const change = draft.get(setting.key)
      if (!change) return []
      if (change.is === 'unset') return [`service settings unset ${setting.key}`]
      return [`service settings set ${setting.key} ${setting.secret ? '-' : quoted(change.text)}`]
    })
    .join('\n')
}

const quoted = (text: string): string =>
  /^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
