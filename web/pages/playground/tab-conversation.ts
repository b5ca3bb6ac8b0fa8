/** The conversation stays in this tab over a reload, and in no other place; each operator and workspace has its own. */
import { emptyTalk, type Item, type Talk } from './conversation.ts'

/** Browsers give a tab about five million. */
const charactersMax = 2_000_000

const keyOf = (who: string): string => `playground:${who}`

/** What was running when the page was left has ended: nobody was there to read it. */
export function keptTalk(who: string): Talk {
  try {
    const text = sessionStorage.getItem(keyOf(who))
    if (text === null) return emptyTalk
    const kept = JSON.parse(text) as Talk
    const items = kept.items.map(
      (item): Item => (item.by === 'agent' && item.state === 'running' ? { ...item, state: 'cut' } : item),
    )
    return { ...emptyTalk, ...kept, setup: { ...emptyTalk.setup, ...kept.setup }, items }
  } catch {
    return emptyTalk // written by another version, or storage is forbidden: the conversation begins anew
  }
}

/** False: it is too long, or storage is forbidden; what was kept before is forgotten rather than shown as if it were all. */
export function keepTalk(who: string, talk: Talk): boolean {
  try {
    const text = JSON.stringify(talk)
    if (text.length <= charactersMax) {
      sessionStorage.setItem(keyOf(who), text)
      return true
    }
    sessionStorage.removeItem(keyOf(who))
  } catch {
    // told by the answer
  }
  return false
}
