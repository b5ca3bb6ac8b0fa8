/** A place in the list of turns as clients keep it: a turn's id, or in the order of a figure 25 bytes: figure, value and id. */
import { z } from 'zod'
import { idFrom, type TurnId, uuidOf } from '../../../store/id.ts'
import { type FigurePlace, type TurnFigure, turnFigures } from '../../../store/turns/ordered.ts'

const bytesOf = { figure: 1, value: 8, id: 16 } as const

/** The order of a list of turns; started: as they were made, the newest first. */
export const TurnOrder = z.enum(['started', ...turnFigures])
export type TurnOrder = z.infer<typeof TurnOrder>

export type TurnPlace = { order: 'started'; id: TurnId } | ({ order: TurnFigure } & FigurePlace)

export const TurnListCursor = z
  .string()
  .regex(/^(?:turn_[0-9a-f]{32}|[A-Za-z0-9_-]{34})$/, 'must be the next_cursor of an answer')
  .transform((text, context): TurnPlace => {
    if (text.startsWith('turn_')) return { order: 'started', id: text as TurnId }
    const bytes = Buffer.from(text, 'base64url')
    const order = turnFigures[bytes.readUInt8(0)]
    const value = bytes.readDoubleBE(bytesOf.figure)
    if (order === undefined || !Number.isFinite(value)) {
      context.addIssue({ code: 'custom', message: 'must be the next_cursor of an answer' })
      return z.NEVER
    }
    return { order, value, id: idFrom('turn', bytes.subarray(-bytesOf.id).toString('hex')) }
  })

export function turnCursor(place: TurnPlace): string {
  if (place.order === 'started') return place.id
  const head = Buffer.alloc(bytesOf.figure + bytesOf.value)
  head.writeUInt8(turnFigures.indexOf(place.order))
  head.writeDoubleBE(place.value, bytesOf.figure)
  return Buffer.concat([head, Buffer.from(uuidOf(place.id), 'hex')]).toString('base64url')
}
