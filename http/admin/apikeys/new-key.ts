/** The making of a key's text, and word of changed keys to every process. */
import { notifyChange } from '../../../store/changes.ts'
import { type ApiKeyId, newApiKeyId } from '../../../store/id.ts'
import type { App } from '../../app.ts'
import { keyDigest, keyHint, newKeyText } from '../../auth/key-text.ts'
import { badRequest } from '../../error.ts'

export interface NewKey {
  /** Shown once. */
  text: string
  /** What the store has of it. */
  stored: { id: ApiKeyId; hash: Buffer; hint: string }
}

export function newKey(): NewKey {
  const text = newKeyText()
  return { text, stored: { id: newApiKeyId(), hash: Buffer.from(keyDigest(text), 'hex'), hint: keyHint(text) } }
}

/** @throws ApiError 400 for a time that is over */
export function expiryOf(app: App, given: string | null): Date | null {
  if (given === null) return null
  const expiresAt = new Date(given)
  if (expiresAt.getTime() <= app.clock.now()) throw badRequest('expires_at lies in the past', 'expires_at')
  return expiresAt
}

/** Keys were changed: heeded here at once, and elsewhere with the word of it. */
export async function broadcastKeyChange(app: App): Promise<void> {
  app.keys.forget()
  await notifyChange(app.db, 'api_keys')
}
