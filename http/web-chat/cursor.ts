/** The cursor of a conversation's feed: the cursor of an event, and how much of the running answer the reader has. */
import { isCursor } from '../../store/events/cursor.ts'
import { TurnId, uuidOf } from '../../store/id.ts'
import { badRequest } from '../error.ts'
import type { DeltaPlace } from './live-deltas.ts'

export interface WebCursor {
  /** Empty: from now on. */
  cursor: string
  place: DeltaPlace | undefined
}

/** The part that follows an event's cursor. */
export const placeText = ({ turnId, offset }: DeltaPlace): string => `~${uuidOf(turnId)}.${offset}`

/** @throws ApiError 400 */
export function parseWebCursor(text: string): WebCursor {
  if (text === '') return { cursor: '', place: undefined }
  const [cursor = '', place] = text.split('~', 2)
  const [, turn, offset] = /^([0-9a-f]{32})\.(\d{1,9})$/.exec(place ?? '') ?? []
  if (!isCursor(cursor) || (place !== undefined && turn === undefined))
    throw badRequest('This is not a cursor of a feed.', 'cursor')
  return {
    cursor,
    place: turn === undefined ? undefined : { turnId: TurnId.parse(`turn_${turn}`), offset: Number(offset) },
  }
}
