/** Identifiers of items: each holds the UUID of the response or message that it belongs to, and its place in there. */
import { idFrom, type MessageId, ResponseId, type TurnId, uuidOf } from '../../store/id.ts'

const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  output: 'out',
} as const
type Kind = keyof typeof prefixes

/** Of one response or message. */
const placesMax = 65_536
const pattern = /^[a-z]+_([0-9a-f]{32})([0-9a-f]{4})$/

export function itemId(kind: Kind, owner: TurnId | MessageId, place: number): string {
  return `${prefixes[kind]}_${uuidOf(owner)}${(place % placesMax).toString(16).padStart(4, '0')}`
}

/** Undefined: not one of ours. */
export function parseItemId(id: string): { uuid: string; place: number } | undefined {
  const [, uuid, place] = pattern.exec(id) ?? []
  return uuid === undefined || place === undefined ? undefined : { uuid, place: Number.parseInt(place, 16) }
}

export const responseIdOf = (turn: TurnId): ResponseId => ResponseId.parse(`resp_${uuidOf(turn)}`)
export const turnIdOf = (response: ResponseId): TurnId => idFrom('turn', uuidOf(response))
