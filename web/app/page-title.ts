/** The title of the page that is shown: in the path of the bar, and in the browser's tab with the count of what waits. */
import { useSyncExternalStore } from 'react'

let title = ''
let waiting = ''
let product = ''
const listeners = new Set<() => void>()

function write(): void {
  const name = [title, product].filter((part) => part !== '').join(' · ')
  document.title = waiting === '' ? name : `(${waiting}) ${name}`
}

/** @param inProduct the product's name in the UI's language */
export function setPageTitle(next: string, inProduct: string): void {
  title = next
  product = inProduct
  write()
  for (const listener of listeners) listener()
}

/** @param count as it is shown, such as `3` or `99+`; empty: nothing waits */
export function setTitleCount(count: string): void {
  waiting = count
  write()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePageTitle = (): string => useSyncExternalStore(subscribe, () => title)
