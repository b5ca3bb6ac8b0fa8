/** The storage of a tab belongs to one operator: it is cleared when they sign out, in every tab, and when another signs in. */

/** @param operatorId undefined: nobody is signed in */
export function claimTabStorage(operatorId: string | undefined): void {
  try {
    if (operatorId !== undefined && sessionStorage.getItem('whose') === operatorId) return
    sessionStorage.clear()
    if (operatorId !== undefined) sessionStorage.setItem('whose', operatorId)
  } catch {
    // no storage
  }
}

const channel = new BroadcastChannel('signed-out')

/** All tabs of this browser share the session. */
export const announceSignOut = (): void => channel.postMessage(null)

export function onOtherTabSignedOut(work: () => void): () => void {
  channel.addEventListener('message', work)
  return () => channel.removeEventListener('message', work)
}

/** What was opened from the palette: of one workspace, and forgotten with it. */
export const recentKey = 'palette-recent'
export function forgetRecent(): void {
  try {
    sessionStorage.removeItem(recentKey)
  } catch {
    // no storage
  }
}
