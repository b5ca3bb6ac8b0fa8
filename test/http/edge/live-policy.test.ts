/** The edge's policy follows the settings. */
import { describe, expect, it } from 'vitest'
import { openSettings } from '../../../config/settings.ts'
import { livePolicy } from '../../../http/edge/live-policy.ts'
import { defaultCsp } from '../../../http/edge/policy.ts'

const settingsOf = (environment: Record<string, string>) => openSettings({ environment, stored: new Map() })

describe('the policy', () => {
  it('by default trusts nobody, allows no origin and requires nothing', () => {
    const policy = livePolicy(settingsOf({}), undefined)()
    expect(policy).toMatchObject({
      isSecureRequired: false,
      publicOrigin: undefined,
      arePersonalKeysAllowed: true,
      deadlineMs: 300_000,
    })
    expect(policy.origins.size).toBe(0)
    expect(policy.isTrustedProxy('127.0.0.1')).toBe(false)
    expect(policy.securityHeaders).toContain(defaultCsp)
  })

  it('takes origins as people write them, and the admin UI’s', () => {
    const policy = livePolicy(
      settingsOf({
        SERVICE_CORS_ORIGINS: 'https://app.example.com/, HTTP://Localhost:3000',
        SERVICE_WEBUI_ORIGIN: 'https://ui.example.com/admin',
      }),
      undefined,
    )()
    expect([...policy.origins]).toEqual(['https://app.example.com', 'http://localhost:3000', 'https://ui.example.com'])
  })

  it('follows live settings at once', () => {
    const settings = settingsOf({})
    const policy = livePolicy(settings, undefined)
    settings.apply(
      new Map([
        ['SERVICE_TRUSTED_PROXIES', '10.0.0.0/8'],
        ['SERVICE_REQUEST_DEADLINE_S', '7'],
      ]),
    )
    expect(policy().isTrustedProxy('10.1.2.3')).toBe(true)
    expect(policy().deadlineMs).toBe(7_000)
  })

  it('refuses a Content-Security-Policy that would end its line', () => {
    expect(() =>
      livePolicy(settingsOf({ SERVICE_CSP: "default-src 'self'\r\nset-cookie: a=b" }), undefined),
    ).toThrowError(/content-security-policy/)
  })
})
