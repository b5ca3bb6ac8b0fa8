/** What a tab keeps over a reload is one operator's: gone when they sign out, in every tab, and when another signs in. */

/** @param operatorId undefined: nobody's any more */
export function keepForOnly(operatorId: string | undefined): void {
  try {
    if (operatorId !== undefined && sessionStorage.getItem('whose') === operatorId) return
    sessionStorage.clear()
    if (operatorId !== undefined) sessionStorage.setItem('whose', operatorId)
  } catch {
    // A browser that keeps nothing.
  }
}

const channel = new BroadcastChannel('signed-out')

/** Of this browser: the session was theirs together. */
export const tellOtherTabs = (): void => channel.postMessage(null)

export function onOtherTabSignedOut(work: () => void): () => void {
  channel.addEventListener('message', work)
  return () => channel.removeEventListener('message', work)
}
