/** Changes that are not saved yet: new texts and values to be forgotten, by key. */
import type { Answer, Body } from '../../api/types.ts'

export type Setting = Answer<'GET /v1/admin/settings'>['items'][number]
export type Change = { is: 'set'; text: string } | { is: 'unset' }
export type Draft = ReadonlyMap<string, Change>

/** What a setting will be if this is saved; a secret's text stays where it is typed. */
export function withChange(draft: Draft, setting: Setting, change: Change | undefined): Draft {
  const next = new Map(draft)
  if (change === undefined || isNoChange(setting, change)) next.delete(setting.key)
  else next.set(setting.key, change)
  return next
}

function isNoChange(setting: Setting, change: Change): boolean {
  if (change.is === 'unset') return setting.origin !== 'stored'
  return change.text === (setting.secret ? '' : (setting.value ?? ''))
}

/** The request that makes the draft true, with what this browser believes is stored now. */
export function requestOf(draft: Draft, items: readonly Setting[]): Body<'POST /v1/admin/settings'> {
  const set: Record<string, string> = {}
  const unset: string[] = []
  const expected: Record<string, string | true | null> = {}
  for (const setting of items) {
    const change = draft.get(setting.key)
    if (!change) continue
    if (change.is === 'set') set[setting.key] = change.text
    else unset.push(setting.key)
    expected[setting.key] = setting.origin !== 'stored' ? null : setting.secret ? true : (setting.value ?? '')
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
