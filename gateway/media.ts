/** Opens the folder of files and what signs their addresses. */
import { randomBytes } from 'node:crypto'
import type { MasterKey } from '../config/seal.ts'
import type { Settings } from '../config/settings.ts'
import type { MediaOfApp } from '../http/app.ts'
import { signedUrls } from '../http/media/signed-urls.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Clock } from '../runtime/time/clock.ts'
import type { Database } from '../store/database.ts'
import { firstWorkspaceId } from '../store/id.ts'
import { folderBlobs } from '../store/media/blobs.ts'
import { storedBytes } from '../store/media/media.ts'
import { openUploads } from '../store/media/uploads.ts'
import { ensureSecret } from '../store/secrets.ts'

const megabyte = 1_000_000

interface MediaParts {
  db: Database
  settings: Settings
  masterKey: () => MasterKey
  node: number
  clock: Clock
  metrics: Metrics
}

/** Undefined: SERVICE_BLOB_DIR is blank. @throws what the folder cannot be made with */
export async function openMedia({
  db,
  settings,
  masterKey,
  node,
  clock,
  metrics,
}: MediaParts): Promise<MediaOfApp | undefined> {
  const folder = settings.get('SERVICE_BLOB_DIR')
  if (folder === '') return undefined
  const blobs = await folderBlobs(folder)
  metrics.onScrape('service_media_stored_bytes', async (gauge) => {
    const bytes = await storedBytes(db).catch(() => undefined)
    if (bytes === undefined) gauge.remove()
    else gauge.set(bytes)
  })
  const secret = settings.get('SERVICE_MEDIA_TOKEN_SECRET') || (await storedSecret(db, masterKey))
  return {
    blobs,
    uploads: openUploads({ db, blobs, node, clock }),
    urls: signedUrls(secret, { publicUrl: settings.get('SERVICE_PUBLIC_URL'), now: () => clock.now() }),
    bytesMax: () => settings.get('SERVICE_MEDIA_MAX_UPLOAD_MB') * megabyte,
    quotaBytes: () => settings.get('SERVICE_MEDIA_QUOTA_MB') * megabyte,
    urlTtlMs: () => settings.get('SERVICE_MEDIA_URL_TTL_S') * 1_000,
  }
}

function storedSecret(db: Database, masterKey: () => MasterKey): Promise<string> {
  return ensureSecret(db, masterKey, {
    id: { scope: 'media', name: 'token' },
    make: () => randomBytes(32).toString('base64url'),
    actor: { workspaceId: firstWorkspaceId, name: 'service', ip: '', requestId: '' },
  })
}
