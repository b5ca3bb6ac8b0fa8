/** Where a reader of events stands: transaction and row number, in one sequence of events. */

export interface EventPosition {
  /** A transaction id of 64 bits, in decimal. */
  xid: bigint
  id: bigint
}

export const feedStart: EventPosition = { xid: 0n, id: 0n }

export function isBehind(position: EventPosition, other: EventPosition): boolean {
  return position.xid < other.xid || (position.xid === other.xid && position.id < other.id)
}

/** @param feed names the sequence: numbers of another one say nothing here */
export function cursorOf(feed: string, { xid, id }: EventPosition): string {
  return `${feed}-${xid.toString(36)}-${id.toString(36)}`
}

const form = /^([0-9a-f]{8})-([0-9a-z]{1,13})-([0-9a-z]{1,13})$/

export const isCursor = (text: string): boolean => form.test(text)

/** @returns undefined for what is no cursor, null for one of another sequence */
export function parseCursor(feed: string, cursor: string): EventPosition | null | undefined {
  const [, of, xid = '', id = ''] = form.exec(cursor) ?? []
  if (of === undefined) return undefined
  return of === feed ? { xid: fromBase36(xid), id: fromBase36(id) } : null
}

function fromBase36(text: string): bigint {
  let value = 0n
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36))
  return value
}
