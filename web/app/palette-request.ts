/** Who wants the palette or the list of keys: buttons ask here, and the part that shows them listens. */

export type Overlay = 'palette' | 'keys'
let listener: ((overlay: Overlay) => void) | undefined

export const openPalette = (): void => listener?.('palette')
export const openKeysHelp = (): void => listener?.('keys')

export function onOverlay(show: (overlay: Overlay) => void): () => void {
  listener = show
  return () => {
    listener = undefined
  }
}
