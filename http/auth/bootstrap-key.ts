/** The first key of a fresh installation: without one nobody could make another. */
import { Failure } from '../../runtime/failure.ts'
import { countApiKeys, createApiKey, findApiKeyByHash } from '../../store/api-keys.ts'
import type { Database } from '../../store/database.ts'
import { newApiKeyId, type WorkspaceId } from '../../store/id.ts'
import { isKeyText, keyDigest, keyHint, newKeyText } from './key-text.ts'

class BootstrapKeyRefused extends Failure {
  readonly code = 'bootstrap_key_refused'
  constructor() {
    super('SERVICE_BOOTSTRAP_KEY is no key: it must begin with sk- and go on with 20 to 200 of A-Z a-z 0-9 _ -')
  }
}

/**
 * Makes one key with every scope where there was never any key at all, the given one or a fresh one.
 * @param given SERVICE_BOOTSTRAP_KEY; empty or undefined when unset. Ignored once there are keys.
 * @returns the text of a fresh key, to be shown once; undefined when there is nothing to show
 * @throws BootstrapKeyRefused
 */
export async function bootstrapKey(
  db: Database,
  options: { given: string | undefined; workspaceId: WorkspaceId },
): Promise<string | undefined> {
  if ((await countApiKeys(db)) > 0) return undefined
  const given = options.given === '' ? undefined : options.given
  if (given !== undefined && !isKeyText(given)) throw new BootstrapKeyRefused()
  const text = given ?? newKeyText()
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
  return given === undefined ? text : undefined
}
