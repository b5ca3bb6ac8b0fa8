/** The first key of a fresh installation: without one nobody could make another. */
import { Failure } from '../../runtime/failure.ts'
import { createApiKey } from '../../store/api-keys/changes.ts'
import { countApiKeys, findApiKeyByHash } from '../../store/api-keys/reads.ts'
import type { Database } from '../../store/database.ts'
import { newApiKeyId, type WorkspaceId } from '../../store/id.ts'
import { isKeyText, keyDigest, keyHint, newKeyText } from './key-text.ts'

class BootstrapKeyRefused extends Failure {
  readonly code = 'bootstrap_key_refused'
  constructor() {
    super('SERVICE_BOOTSTRAP_KEY is not a valid key: it must be sk- and then 20 to 200 of A-Z a-z 0-9 _ -')
  }
}

/**
 * Creates one key with every scope if the database has never had a key: SERVICE_BOOTSTRAP_KEY, or a new one.
 * @param configured SERVICE_BOOTSTRAP_KEY; empty or undefined when unset. Ignored once there are keys.
 * @returns the text of a new key, to be shown once; undefined when there is nothing to show
 * @throws BootstrapKeyRefused
 */
export async function bootstrapKey(
  db: Database,
  options: { configured: string | undefined; workspaceId: WorkspaceId },
): Promise<string | undefined> {
  if ((await countApiKeys(db)) > 0) return undefined
  const configured = options.configured === '' ? undefined : options.configured
  if (configured !== undefined && !isKeyText(configured)) throw new BootstrapKeyRefused()
  const text = configured ?? newKeyText()
  const hash = Buffer.from(keyDigest(text), 'hex')
  try {
    await createApiKey(db, {
      id: newApiKeyId(),
      workspaceId: options.workspaceId,
      name: 'first admin key',
      kind: 'service',
      scopes: ['*'],
      rateLimitRpm: null,
      expiresAt: null,
      hash,
      hint: keyHint(text),
      createdBy: 'first start',
    })
  } catch (error) {
    // Another process of this database, started at the same moment, may have stored the same key first.
    if (!(await findApiKeyByHash(db, hash))) throw error
  }
  return configured === undefined ? text : undefined
}
