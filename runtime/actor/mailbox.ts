/** A bounded first-in-first-out queue whose memory follows what it holds. */

/** Powers of two. What an empty mailbox keeps, so that a burst does not pay for growth each time. */
const initialSlots = 8
const keptSlotsMax = 1_024

export class Mailbox<Item> {
  /** A ring, as long as a power of two. */
  #slots: (Item | undefined)[] = []
  #head = 0
  size = 0
  readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** False when full: the item was not taken. */
  push(item: Item): boolean {
    if (this.size >= this.capacity) return false
    if (this.size === this.#slots.length) this.#grow()
    this.#slots[(this.#head + this.size) & (this.#slots.length - 1)] = item
    this.size++
    return true
  }

  shift(): Item | undefined {
    if (this.size === 0) return undefined
    const slots = this.#slots
    const item = slots[this.#head]
    slots[this.#head] = undefined
    this.#head = (this.#head + 1) & (slots.length - 1)
    this.size--
    if (this.size === 0 && slots.length > keptSlotsMax) this.#forget()
    return item
  }

  /** Empties the mailbox, oldest first. */
  drain(): Item[] {
    const items: Item[] = []
    for (let item = this.shift(); item !== undefined; item = this.shift()) items.push(item)
    return items
  }

  #grow(): void {
    const { size } = this
    const slots = new Array<Item | undefined>(Math.max(initialSlots, size * 2)).fill(undefined)
    for (let nth = 0; nth < size; nth++) slots[nth] = this.#slots[(this.#head + nth) & (size - 1)]
    this.#slots = slots
    this.#head = 0
  }

  #forget(): void {
    this.#slots = []
    this.#head = 0
  }
}
