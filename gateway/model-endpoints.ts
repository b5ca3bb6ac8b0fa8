/** The model endpoints beside the one of the settings, as they are stored: read at the start, and again when they change. */
import type { MasterKey } from '../config/seal.ts'
import type { ModelChooser } from '../models/choose.ts'
import type { NamedEndpoint } from '../models/endpoints/named-endpoint.ts'
import { freshRead } from '../runtime/fresh-read.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Changes } from '../store/changes.ts'
import type { Database } from '../store/database.ts'
import { keyOfModelEndpoint, readModelEndpoints } from '../store/model-endpoints.ts'
import { readSecret } from '../store/secrets.ts'

interface Sources {
  db: Database
  masterKey: () => MasterKey
  log: Log
}

/** @throws where they cannot be read at the start */
export async function followModelEndpoints(models: ModelChooser, changes: Changes, sources: Sources): Promise<void> {
  const read = freshRead(() => readInto(models, sources))
  const readAgain = () => {
    read().catch((error: unknown) =>
      sources.log.error({ err: error }, 'changed model endpoints could not be read; those before stay in use'),
    )
  }
  changes.onChange('models', readAgain)
  changes.onChange('secrets', readAgain)
  await read()
}

async function readInto(models: ModelChooser, sources: Sources): Promise<void> {
  const stored = await readModelEndpoints(sources.db)
  const named: NamedEndpoint[] = []
  for (const { isEnabled, hasKey, name, provider, url, models: list } of stored) {
    if (!isEnabled) continue
    const key = hasKey ? await keyOf(name, sources) : ''
    if (key !== undefined) named.push({ name, provider, url, key, models: list })
  }
  models.use(named)
}

/** @returns undefined where it cannot be had: without its key the endpoint is of no use, and the others go on */
async function keyOf(name: string, { db, masterKey, log }: Sources): Promise<string | undefined> {
  try {
    const key = await readSecret(db, masterKey, keyOfModelEndpoint(name))
    if (key !== undefined) return key
    log.error({ endpoint: name }, 'the key of a model endpoint was removed: it is not asked until it has one')
  } catch (error) {
    log.error({ endpoint: name, err: error }, 'the key of a model endpoint cannot be opened: it is not asked')
  }
  return undefined
}
