/**
 * Who wants the palette or the list of keys: buttons ask here, and the part that shows them listens. It is loaded behind the
 * first page, so what is asked for before waits for it, and so does the key that was pressed.
 */

export type Overlay = 'palette' | 'keys'
let listener: ((overlay: Overlay) => void) | undefined
let asked: Overlay | undefined

function ask(overlay: Overlay): void {
  if (listener) listener(overlay)
  else asked = overlay
}

export const openPalette = (): void => ask('palette')
export const openKeysHelp = (): void => ask('keys')

/** By the key's place too: on a Russian layout Ctrl K is Ctrl Л. */
export const isPaletteKey = ({ ctrlKey, metaKey, key, code }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && (key.toLowerCase() === 'k' || code === 'KeyK')

let early: KeyboardEvent | undefined
addEventListener('keydown', (event) => {
  if (listener) return
  early = event
  if (isPaletteKey(event) && document.querySelector('main')) event.preventDefault()
})

/** The last key that was pressed before this was asked for the first time. */
export function takeEarlyKey(): KeyboardEvent | undefined {
  const key = early
  early = undefined
  return key
}

export function onOverlay(show: (overlay: Overlay) => void): () => void {
  listener = show
  if (asked) show(asked)
  asked = undefined
  return () => {
    listener = undefined
  }
}
