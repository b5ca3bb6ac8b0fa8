/**
 * Who wants the palette or the list of keys: buttons ask here, and the part that shows them listens. It is loaded behind the
 * first page, so what is asked for before waits for it.
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

addEventListener('keydown', (event) => {
  if (listener || !isPaletteKey(event) || !document.querySelector('main')) return
  event.preventDefault()
  openPalette()
})

export function onOverlay(show: (overlay: Overlay) => void): () => void {
  listener = show
  if (asked) show(asked)
  asked = undefined
  return () => {
    listener = undefined
  }
}
