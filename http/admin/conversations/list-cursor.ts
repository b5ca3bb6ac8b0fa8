/** A place in the list of conversations as clients keep it: 16 bytes of an id, before them in the order of activity 6 of a time. */
import { z } from 'zod'
import type { ConversationRecord, ListPlace } from '../../../store/conversations/list.ts'
import { idFrom, uuidOf } from '../../../store/id.ts'

const timeBytes = 6
const idBytes = 16

export const ListCursor = z
  .string()
  .regex(/^(?:[A-Za-z0-9_-]{22}|[A-Za-z0-9_-]{30})$/, 'must be the next_cursor of an answer')
  .transform((text): ListPlace => {
    const bytes = Buffer.from(text, 'base64url')
    const id = idFrom('conv', bytes.subarray(-idBytes).toString('hex'))
    if (bytes.length === idBytes) return { order: 'created', id }
    return { order: 'active', at: new Date(bytes.readUIntBE(0, timeBytes)), id }
  })

export function cursorText(place: ListPlace): string {
  const id = Buffer.from(uuidOf(place.id), 'hex')
  if (place.order === 'created') return id.toString('base64url')
  const time = Buffer.alloc(timeBytes)
  time.writeUIntBE(place.at.getTime(), 0, timeBytes)
  return Buffer.concat([time, id]).toString('base64url')
}

export const placeOf = (order: ListPlace['order'], { id, activeAt }: ConversationRecord): ListPlace =>
  order === 'created' ? { order, id } : { order, at: activeAt, id }
