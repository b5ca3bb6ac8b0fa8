/** Codes of an authenticator app (RFC 6238), with sealed secrets. Every app supports SHA-1, six digits, thirty seconds. */
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

/** How many steps a phone's clock may differ from ours, either way. */
const stepsAside = 1

export interface NewTotp {
  /** Base32, for typing into an app by hand. */
  secret: string
  /** For the QR code. */
  uri: string
}

export function newTotp(login: string): NewTotp {
  const secret = new Secret({ size: secretBytes })
  return { secret: secret.base32, uri: new TOTP({ ...kind, issuer, label: login, secret }).toString() }
}

/** Whether it has the form of an app's code. Spaces are ignored. */
export const isTotpCode = (code: string): boolean => /^\d{6}$/.test(plain(code))

/**
 * The step of this code, among those around `nowMs`. Every step is compared even after a match, so that the time tells nothing.
 * @returns undefined where none matches
 */
export function matchingStep(secret: string, code: string, nowMs: number): number | undefined {
  const entered = Buffer.from(plain(code))
  const key = Secret.fromBase32(secret)
  const now = Math.floor(nowMs / 1_000 / kind.period)
  let found: number | undefined
  for (let step = now - stepsAside; step <= now + stepsAside; step++) {
    const expected = Buffer.from(TOTP.generate({ ...kind, secret: key, timestamp: step * kind.period * 1_000 }))
    if (entered.length === expected.length && timingSafeEqual(entered, expected)) found = step
  }
  return found
}

export function sealTotp(settings: Settings, operator: OperatorId, secret: string): string {
  return seal(masterKeyOf(settings), nameOf(operator), secret)
}

/** @throws ApiError 500 where it was sealed with another master key */
export function unsealTotp(settings: Settings, operator: OperatorId, sealed: string): string {
  try {
    return unseal(masterKeyOf(settings), nameOf(operator), sealed)
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause
    const message = 'The secret of these codes was sealed with another master key; use a recovery code.'
    throw new ApiError('totp_unreadable', message, { cause })
  }
}

/** Both settings come from the environment only, so these are the values of the start. */
function masterKeyOf(settings: Settings): MasterKey {
  const environment = { SERVICE_MASTER_KEY: settings.get('SERVICE_MASTER_KEY') }
  return openMasterKey({ dataDir: resolve(settings.get('SERVICE_DATA_DIR')), environment })
}

/** Bound into the seal: a sealed secret that is copied to another operator's row cannot be opened. */
const nameOf = (operator: OperatorId): string => `operator/${operator}/totp`

const plain = (code: string): string => code.replaceAll(/\s/g, '')
