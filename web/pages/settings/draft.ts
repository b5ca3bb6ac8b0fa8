/** Unsaved changes by key: new values and resets, each with the value that was stored when the edit began. */
import type { Answer, Body } from '../../api/types.ts'

export type Setting = Answer<'GET /v1/admin/settings'>['items'][number]
export type Change = { is: 'set'; text: string } | { is: 'unset' }

/** The stored value: its text, null for none, true for a secret. */
type Stored = string | true | null

/** The stored value when the edit began. If it has changed since, the edit conflicts and overwrites nothing unseen. */
interface Baseline {
  stored: Stored
  /** The only way to notice that a secret was replaced. */
  storedAt: string | null
}
export type Draft = ReadonlyMap<string, Change & { from: Baseline }>

/** @param change undefined: undo */
export function withChange(draft: Draft, setting: Setting, change: Change | undefined): Draft {
  const next = new Map(draft)
  if (change === undefined || isNoChange(setting, change)) next.delete(setting.key)
  else next.set(setting.key, { ...change, from: draft.get(setting.key)?.from ?? baselineOf(setting) })
  return next
}

/** Keeps the change although somebody else has stored another value. */
export function withOverwrite(draft: Draft, setting: Setting): Draft {
  const change = draft.get(setting.key)
  return change ? new Map(draft).set(setting.key, { ...change, from: baselineOf(setting) }) : draft
}

/** Drops changes that are stored by now, such as a value that another operator has saved too. */
export function withoutApplied(draft: Draft, items: readonly Setting[]): Draft {
  const applied = items.filter((setting) => {
    const change = draft.get(setting.key)
    return change !== undefined && isNoChange(setting, change)
  })
  if (applied.length === 0) return draft
  const keys = new Set(applied.map(({ key }) => key))
  return new Map([...draft].filter(([key]) => !keys.has(key)))
}

/** Another operator has stored another value since the edit began. */
export function isConflicting(draft: Draft, setting: Setting): boolean {
  const from = draft.get(setting.key)?.from
  if (from === undefined) return false
  return from.stored !== storedOf(setting) || (setting.secret && from.storedAt !== setting.stored_at)
}

const baselineOf = (setting: Setting): Baseline => ({ stored: storedOf(setting), storedAt: setting.stored_at })

function storedOf({ origin, secret, value }: Setting): Stored {
  if (origin !== 'stored') return null
  return secret ? true : (value ?? '')
}

function isNoChange(setting: Setting, change: Change): boolean {
  if (change.is === 'unset') return setting.origin !== 'stored'
  return change.text === (setting.secret ? '' : (setting.value ?? ''))
}

/** The request that saves the draft, with the stored values that it expects. */
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

/** The same change as commands, without the text of secrets. */
export function commandsOf(draft: Draft, { command, items }: { command: string; items: readonly Setting[] }): string {
  return items
    .flatMap((setting) => {
      const change = draft.get(setting.key)
      if (!change) return []
      if (change.is === 'unset') return [`${command} settings unset ${setting.key}`]
      return [`${command} settings set ${setting.key} ${setting.secret ? '-' : quoted(change.text)}`]
    })
    .join('\n')
}

const quoted = (text: string): string =>
  /^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
