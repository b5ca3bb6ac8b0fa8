/** Makes the text of a new key, and notifies every process of changed keys. */
import { notifyChange } from '../../../store/changes.ts'
import { type ApiKeyId, newApiKeyId } from '../../../store/id.ts'
import type { App } from '../../app.ts'
import { keyDigest, keyHint, newKeyText } from '../../auth/key-text.ts'
import { badRequest } from '../../error.ts'

export interface NewKey {
  /** Shown once. */
  text: string
  /** What is stored of it. */
  stored: { id: ApiKeyId; hash: Buffer; hint: string }
}

export function newKey(): NewKey {
  const text = newKeyText()
  return { text, stored: { id: newApiKeyId(), hash: Buffer.from(keyDigest(text), 'hex'), hint: keyHint(text) } }
}

/** @throws ApiError 400 for a time in the past */
export function expiryOf(app: App, text: string | null): Date | null {
  if (text === null) return null
  const expiresAt = new Date(text)
  if (expiresAt.getTime() <= app.clock.now()) throw badRequest('expires_at is in the past', 'expires_at')
  return expiresAt
}

/** Takes effect here at once, and in other processes with the notification. */
export async function broadcastKeyChange(app: App): Promise<void> {
  app.keys.forget()
  await notifyChange(app.db, 'api_keys')
}
