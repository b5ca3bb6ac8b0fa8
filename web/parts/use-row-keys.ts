/** Which rows of a list are chosen, and moving through it by keys. */
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { singleKeys } from '../app/browser-settings.ts'
import { isTyping } from '../app/key-target.ts'

export interface Choice {
  chosen: ReadonlySet<string>
  toggle(key: string): void
  set(keys: readonly string[]): void
}

/** The choice of a list's rows, by key; it starts over when `name` changes, as when the filters do. */
export function useChoice(name = ''): Choice {
  const [state, setState] = useState({ name, chosen: new Set<string>() as ReadonlySet<string> })
  const chosen = state.name === name ? state.chosen : none
  return useMemo(
    () => ({
      chosen,
      toggle(key) {
        const next = new Set(chosen)
        if (!next.delete(key)) next.add(key)
        setState({ name, chosen: next })
      },
      set: (keys) => setState({ name, chosen: new Set(keys) }),
    }),
    [chosen, name],
  )
}
const none: ReadonlySet<string> = new Set()

const letterOf = (event: KeyboardEvent): string =>
  singleKeys.get() && event.code.startsWith('Key') ? event.code.slice(3) : ''

/** To the next row or the one before; undefined: the key is for something else. */
export function rowStepOf(event: KeyboardEvent): 1 | -1 | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return undefined
  const letter = letterOf(event)
  if (letter === 'J' || event.key === 'ArrowDown') return 1
  return letter === 'K' || event.key === 'ArrowUp' ? -1 : undefined
}

interface RowKeys<Row> {
  rows: readonly Row[]
  rowKey(row: Row): string
  choice: Choice | undefined
  onOpen: ((row: Row) => void) | undefined
  /** Of the row that is open beside the list: moving on opens the next one there. */
  openKey: string | undefined
  scrollTo(index: number): void
}

/** @returns the key of the row under the keyboard, and the listener */
export function useRowKeys<Row>({ rows, rowKey, choice, onOpen, openKey, scrollTo }: RowKeys<Row>) {
  const [active, setActive] = useState<string>()
  const anchor = useRef<number>(undefined)
  const current = openKey ?? active
  const at = current === undefined ? -1 : rows.findIndex((row) => rowKey(row) === current)

  function move(by: number): void {
    const next = Math.max(0, Math.min(rows.length - 1, at + by))
    const row = rows[next]
    if (row === undefined) return
    setActive(rowKey(row))
    scrollTo(next)
    if (openKey !== undefined) onOpen?.(row)
  }
  function choose(isRange: boolean): void {
    const row = rows[at]
    if (!choice || row === undefined) return
    const from = anchor.current ?? at
    if (isRange) {
      const range = rows.slice(Math.min(from, at), Math.max(from, at) + 1).map(rowKey)
      choice.set([...new Set([...choice.chosen, ...range])])
    } else choice.toggle(rowKey(row))
    anchor.current = at
  }
  function press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const step = rowStepOf(event)
    if (step !== undefined) move(step)
    else if (letterOf(event) === 'X' && at >= 0 && choice) choose(event.shiftKey)
    else if (event.key === 'Enter' && event.target === event.currentTarget && rows[at] !== undefined) onOpen?.(rows[at])
    else return
    event.preventDefault()
  }
  return { active, press }
}
