/** Asks the scanner of SERVICE_MEDIA_SCAN_URL about a file before anybody can read it. */
import { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { Failure } from '../../runtime/failure.ts'
import { minutes } from '../../runtime/time/duration.ts'
import type { Incoming } from '../../store/media/uploads.ts'
import type { App } from '../app.ts'

const scanMs = minutes(5)

class MediaRefused extends Failure {
  readonly code = 'media_refused'
  constructor(status: number) {
    super(`the scanner refused the file (HTTP ${status})`)
  }
}

class MediaScanFailed extends Failure {
  readonly code = 'media_scan_failed'
  override readonly isOutage = true
  constructor(cause: unknown) {
    super('the scanner of SERVICE_MEDIA_SCAN_URL did not answer', { cause })
  }
}

/** 200: the file is good. 4xx: it is refused, and gone. Anything else: nobody knows, and the upload has to come again. */
export function scanOf({ settings, services }: App): Incoming['scan'] {
  return async (bytes, { id, contentType, bytes: length }) => {
    const scanner = settings.get('SERVICE_MEDIA_SCAN_URL')
    if (scanner === '') return
    const address = new URL(scanner)
    const agent = new Agent({
      connect: services.outgoing.connectorFor(address),
      headersTimeout: scanMs,
      bodyTimeout: scanMs,
    })
    try {
      const { statusCode, body } = await request(address, {
        method: 'POST',
        dispatcher: agent,
        signal: AbortSignal.timeout(scanMs),
        body: Readable.from(bytes()),
        headers: {
          ...{ 'content-type': contentType ?? 'application/octet-stream', 'content-length': String(length ?? 0) },
          'x-service-media-id': id,
        },
      })
      await body.dump()
      if (statusCode === 200) return
      if (statusCode >= 400 && statusCode < 500) throw new MediaRefused(statusCode)
      throw new Error(`HTTP ${statusCode}`)
    } catch (error) {
      throw error instanceof MediaRefused ? error : new MediaScanFailed(error)
    } finally {
      await agent.destroy()
    }
  }
}
