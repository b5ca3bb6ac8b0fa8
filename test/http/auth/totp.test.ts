/** Codes of authenticator apps, by the vectors of RFC 6238 and around them. */
import { expect, it } from 'vitest'
import { openSettings } from '../../../config/settings.ts'
import { isTotpCode, matchingStep, newTotp, sealTotp, unsealTotp } from '../../../http/auth/totp.ts'
import { newOperatorId } from '../../../store/id.ts'

/** '12345678901234567890' in base32: the secret of the RFC's appendix B, whose codes end in these six digits. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
]

it('has the codes of the RFC', () => {
  for (const [seconds, code] of vectors)
    expect(matchingStep(secret, code, seconds * 1_000)).toBe(Math.floor(seconds / 30))
})

it('takes the step before and the step after, and says which it was', () => {
  const [, code] = vectors[3] ?? [0, '']
  const step = Math.floor(1_234_567_890 / 30)
  const startMs = step * 30_000
  const found = [-30_001, -30_000, 0, 59_999, 60_000].map((ms) => matchingStep(secret, code, startMs + ms))
  expect(found).toEqual([undefined, step, step, step, undefined])
})

it('takes blanks that a person typed, and nothing that is no code', () => {
  expect(matchingStep(secret, '005 924', 1_234_567_890_000)).toBeDefined()
  expect(['005924', '005 924'].map(isTotpCode)).toEqual([true, true])
  for (const text of ['', '5924', '0059240', 'ABCDEF', '００５９２４']) {
    expect(isTotpCode(text), text).toBe(false)
    expect(matchingStep(secret, text, 1_234_567_890_000), text).toBeUndefined()
  }
})

it('makes another secret each time, in a form that apps read', () => {
  const [one, other] = [newTotp('ada'), newTotp('ada')]
  expect(one.secret).not.toBe(other.secret)
  const uri = new URL(one.uri)
  expect(uri.protocol + uri.host).toBe('otpauth:totp')
  expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret: one.secret, digits: '6', period: '30' })
})

it('opens a sealed secret for its owner only, and says what to do where the master key is another one', () => {
  const settingsOf = (fill: number) => {
    const environment = { SERVICE_MASTER_KEY: Buffer.alloc(32, fill).toString('base64') }
    return openSettings({ environment, stored: new Map() })
  }
  const [owner, other] = [newOperatorId(), newOperatorId()]
  const sealed = sealTotp(settingsOf(1), owner, secret)
  expect(unsealTotp(settingsOf(1), owner, sealed)).toBe(secret)
  const unreadable = expect.objectContaining({ code: 'totp_unreadable' })
  expect(() => unsealTotp(settingsOf(1), other, sealed)).toThrow(unreadable)
  expect(() => unsealTotp(settingsOf(2), owner, sealed)).toThrow(unreadable)
})
