/**
 * Addresses that let in whoever has them: to read one file, or to upload one, until a time. Their key comes from one secret of
 * the installation, so that they hold on every node and over restarts.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { MediaId } from '../../store/id.ts'

/** read: GET and HEAD of the file. upload: everything about its content. */
export type SignedUse = 'read' | 'upload'

export type SignatureState = 'valid' | 'invalid' | 'expired'

export interface SignedUrls {
  /** @returns an absolute address where the public one of the service is known, else a path */
  sign(use: SignedUse, id: MediaId, expiresAtMs: number): string
  /** @param query of the request, without its question mark */
  check(use: SignedUse, id: string, query: string): SignatureState
}

const pathOf: Record<SignedUse, (id: MediaId) => string> = {
  read: (id) => `/v1/files/${id}`,
  upload: (id) => `/v1/media/${id}/content`,
}

/** @param publicUrl SERVICE_PUBLIC_URL; blank: not known */
export function signedUrls(secret: string, { publicUrl, now }: { publicUrl: string; now: () => number }): SignedUrls {
  const derived = (label: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', label, bytes))
  const key = derived('signed addresses of media, 1', 32)
  // Tells an address of another secret from a forged one in a log; it says nothing of the key.
  const keyId = derived('the name of the key, 1', 4).toString('hex')
  const base = publicUrl.replace(/\/$/, '')
  const signature = (use: SignedUse, id: string, expiresS: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([1, use, id, expiresS]))
      .digest('base64url')

  return {
    sign(use, id, expiresAtMs) {
      const expiresS = String(Math.floor(expiresAtMs / 1_000))
      return `${base}${pathOf[use](id)}?exp=${expiresS}&kid=${keyId}&sig=${signature(use, id, expiresS)}`
    },
    check(use, id, query) {
      const given = new URLSearchParams(query)
      const expiresS = given.get('exp') ?? ''
      // As text: its decoder also takes what is not quite base64url, and drops the last bits.
      const sig = Buffer.from(given.get('sig') ?? '')
      const right = Buffer.from(signature(use, id, expiresS))
      if (sig.length !== right.length || !timingSafeEqual(sig, right) || given.get('kid') !== keyId) return 'invalid'
      return Number(expiresS) * 1_000 > now() ? 'valid' : 'expired'
    },
  }
}

/** Whether the query claims to be one of a signed address. */
export const isSigned = (query: string): boolean => /(?:^|&)sig=/.test(query)
