/** What nodes say to each other about actors, and what of it is looked at: messages of no known form are nobody's. */
import type { PlainFailure } from './transfer.ts'

export interface RemoteMessage {
  kind: string
  key: string
  type: string
  message: unknown
}

export type Message =
  | ({ t: 'tell' } & RemoteMessage)
  /** `streams`: those that the asking side reads while it waits. */
  | ({ t: 'ask'; id: number; streams: readonly string[] } & RemoteMessage)
  | { t: 'cancel'; id: number }
  | { t: 'answer'; id: number; value: unknown }
  | { t: 'failed'; id: number; failure: PlainFailure }
  /** The slot is not this node's, or soon no longer: nothing was done. */
  | { t: 'moved'; id: number; isBeingHandedOver?: boolean }
  | { t: 'items'; stream: string; items: unknown[] }
  | { t: 'end'; stream: string; failure: PlainFailure | null }
  /** So many items of the stream have been taken in all. */
  | { t: 'taken'; stream: string; count: number }
  | { t: 'left'; stream: string }

export type MessageOf<Type extends Message['t']> = Message & { t: Type }

type Fields = Record<string, unknown>

/** By hand: this is on the way of each message, and a schema would cost more than the rest of it. */
const forms: { [Type in Message['t']]: (fields: Fields) => boolean } = {
  tell: isToActor,
  ask: (fields) => isToActor(fields) && isCount(fields['id']) && isListOfTexts(fields['streams']),
  cancel: ({ id }) => isCount(id),
  answer: ({ id }) => isCount(id),
  failed: ({ id, failure }) => isCount(id) && isFailure(failure),
  moved: ({ id }) => isCount(id),
  items: ({ stream, items }) => isText(stream) && Array.isArray(items),
  end: ({ stream, failure }) => isText(stream) && (failure === null || isFailure(failure)),
  taken: ({ stream, count }) => isText(stream) && isCount(count),
  left: ({ stream }) => isText(stream),
}

/** @returns undefined for what is none */
export function messageOf(body: unknown): Message | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const fields = body as Fields
  const { t } = fields
  if (typeof t !== 'string' || !Object.hasOwn(forms, t)) return undefined
  return forms[t as Message['t']](fields) ? (body as Message) : undefined
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
const isListOfTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

function isToActor({ kind, key, type }: Fields): boolean {
  return isText(kind) && isText(key) && isText(type)
}

function isFailure(value: unknown): boolean {
  const { type, message, cause, fields } = (value ?? {}) as Fields
  const { name, message: reason } = (cause ?? { name: '', message: '' }) as Fields
  return isText(type) && isText(message) && isText(name) && isText(reason) && typeof fields === 'object'
}
