/** The playground's conversation in the tab's storage, by operator and workspace, so that it survives a reload. */
import { type Conversation, emptyConversation, type Item } from './conversation.ts'

/** Of all sides together: browsers allow about five million characters per tab. */
const charactersMax = 2_000_000

const keyOf = (who: string): string => `playground:${who}`

/** An answer that was running when the page was left has ended. */
const ended = (items: readonly Item[]): Item[] =>
  items.map((item) => (item.by === 'agent' && item.state === 'running' ? { ...item, state: 'cut' } : item))

export function storedConversation(who: string): Conversation {
  try {
    const text = sessionStorage.getItem(keyOf(who))
    if (text === null) return emptyConversation
    const stored = { ...emptyConversation, ...(JSON.parse(text) as Conversation) }
    return {
      ...stored,
      setup: { ...emptyConversation.setup, ...stored.setup },
      items: ended(stored.items),
      second: stored.second && { ...stored.second, items: ended(stored.second.items) },
    }
  } catch {
    return emptyConversation // written by another version, or no storage: the conversation starts empty
  }
}

/** False: it is too long, or there is no storage. An older copy is removed, so that it is not shown as if it were complete. */
export function storeConversation(who: string, conversation: Conversation): boolean {
  try {
    const text = JSON.stringify(conversation)
    if (text.length <= charactersMax) {
      sessionStorage.setItem(keyOf(who), text)
      return true
    }
    sessionStorage.removeItem(keyOf(who))
  } catch {
    // reported by the result
  }
  return false
}
