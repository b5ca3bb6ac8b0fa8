/** A bounded first-in-first-out queue whose memory follows what it holds. */

export class Mailbox<Item> {
  #items: (Item | undefined)[] = []
  #head = 0
  readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get size(): number {
    return this.#items.length - this.#head
  }

  /** False when full: the item was not taken. */
  push(item: Item): boolean {
    if (this.#items.length - this.#head >= this.capacity) return false
    this.#items.push(item)
    return true
  }

  shift(): Item | undefined {
    const items = this.#items
    const head = this.#head
    if (head === items.length) return undefined
    const item = items[head]
    items[head] = undefined
    const next = head + 1
    if (next === items.length) {
      // Empty: keep the array for reuse unless a burst made it large.
      if (next > 1_024) this.#items = []
      else items.length = 0
      this.#head = 0
    } else if (next >= 1_024 && next * 2 >= items.length) {
      // Half consumed: moving the rest costs each item one copy at most.
      this.#items = items.slice(next)
      this.#head = 0
    } else {
      this.#head = next
    }
    return item
  }

  /** Empties the mailbox, oldest first. */
  drain(): Item[] {
    const rest = this.#items.slice(this.#head) as Item[]
    this.#items = []
    this.#head = 0
    return rest
  }
}
