/** Codes of an authenticator app (RFC 6238): made, checked, and kept sealed. Every app knows SHA-1, six digits, thirty seconds. */
import { timingSafeEqual } from 'node:crypto'
import { resolve } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { type MasterKey, openMasterKey, SealBroken, seal, unseal } from '../../config/seal.ts'
import type { Settings } from '../../config/settings.ts'
import type { OperatorId } from '../../store/id.ts'
import { ApiError } from '../error.ts'

const kind = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const issuer = 'Agent Platform Service'
const secretBytes = 20

/** Clocks of phones differ from ours by so many steps, before and after. */
const stepsAside = 1

export interface NewTotp {
  /** Base32, as it is typed into an app by hand. */
  secret: string
  /** What the QR code holds. */
  uri: string
}

export function newTotp(login: string): NewTotp {
  const secret = new Secret({ size: secretBytes })
  return { secret: secret.base32, uri: new TOTP({ ...kind, issuer, label: login, secret }).toString() }
}

/** Whether it looks like a code of an app, blanks aside. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(plain(code))

/**
 * The step whose code this is, of those around `nowMs`. Every step is compared, whichever fits: the time tells nothing.
 * @returns undefined where it is none of them
 */
export function matchingStep(secret: string, code: string, nowMs: number): number | undefined {
  const given = Buffer.from(plain(code))
  const key = Secret.fromBase32(secret)
  const now = Math.floor(nowMs / 1_000 / kind.period)
  let found: number | undefined
  for (let step = now - stepsAside; step <= now + stepsAside; step++) {
    const right = Buffer.from(TOTP.generate({ ...kind, secret: key, timestamp: step * kind.period * 1_000 }))
    if (given.length === right.length && timingSafeEqual(given, right)) found = step
  }
  return found
}

export function sealTotp(settings: Settings, operator: OperatorId, secret: string): string {
  return seal(masterKeyOf(settings), nameOf(operator), secret)
}

/** @throws ApiError 500 where the master key is not the one that it was sealed under */
export function unsealTotp(settings: Settings, operator: OperatorId, sealed: string): string {
  try {
    return unseal(masterKeyOf(settings), nameOf(operator), sealed)
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause
    const message = 'The secret of these codes cannot be read with the master key of now; use a recovery code.'
    throw new ApiError('totp_unreadable', message, { cause })
  }
}

/** Both settings come from the environment alone, as the start reads them. */
function masterKeyOf(settings: Settings): MasterKey {
  const environment = { SERVICE_MASTER_KEY: settings.get('SERVICE_MASTER_KEY') }
  return openMasterKey({ dataDir: resolve(settings.get('SERVICE_DATA_DIR')), environment })
}

/** A sealed secret opens under its owner's name only: moved to another row it is worth nothing. */
const nameOf = (operator: OperatorId): string => `operator/${operator}/totp`

const plain = (code: string): string => code.replaceAll(/\s/g, '')
