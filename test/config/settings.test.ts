import { describe, expect, test } from 'vitest'
import { openSettings, SettingsRefused } from '../../config/settings.ts'

const stored = (values: Record<string, string>) => new Map(Object.entries(values))

function described(settings: ReturnType<typeof openSettings>, key: string) {
  return settings.describe().find((each) => each.key === key)
}

describe('resolution', () => {
  test('a stored value overrides the environment, which overrides the default', () => {
    const settings = openSettings({
      environment: { SERVICE_LLM_MODEL: 'from-environment', SERVICE_LLM_RETRIES: '7' },
      stored: stored({ SERVICE_LLM_MODEL: 'from-store' }),
    })
    expect(settings.get('SERVICE_LLM_MODEL')).toBe('from-store')
    expect(settings.get('SERVICE_LLM_RETRIES')).toBe(7)
    expect(settings.get('SERVICE_LLM_CALL_TIMEOUT_S')).toBe(120)
    expect(described(settings, 'SERVICE_LLM_MODEL')).toMatchObject({
      origin: 'stored',
      isEnvironmentHidden: true,
      value: 'from-store',
    })
    expect(described(settings, 'SERVICE_LLM_RETRIES')).toMatchObject({
      origin: 'environment',
      isEnvironmentHidden: false,
    })
  })

  test('keys that ignore the environment do so, and report it', () => {
    const settings = openSettings({ environment: { SERVICE_MCP_PUBLISH: '1' }, stored: stored({}) })
    expect(settings.get('SERVICE_MCP_PUBLISH')).toBe(false)
    expect(described(settings, 'SERVICE_MCP_PUBLISH')).toMatchObject({ origin: 'default', isEnvironmentIgnored: true })
  })

  test('settings needed to reach the store come from the environment only', () => {
    const settings = openSettings({ environment: {}, stored: stored({ SERVICE_DATA_DIR: '/elsewhere' }) })
    expect(settings.get('SERVICE_DATA_DIR')).toBe('./data')
  })

  test('an empty variable counts as not set', () => {
    const settings = openSettings({ environment: { SERVICE_LLM_RETRIES: '' }, stored: stored({}) })
    expect(described(settings, 'SERVICE_LLM_RETRIES')).toMatchObject({ value: '3', origin: 'default' })
  })

  test('all bad values are named at the start together', () => {
    const open = () =>
      openSettings({ environment: { SERVICE_LLM_RETRIES: 'many', SERVICE_TTS_ENABLED: 'perhaps' }, stored: stored({}) })
    expect(open).toThrow(SettingsRefused)
    expect(open).toThrow(/SERVICE_LLM_RETRIES.*whole number.*SERVICE_TTS_ENABLED/)
  })

  test.each(['constructor', '__proto__', 'toString'])('%s is no switch position', (word) => {
    const open = () => openSettings({ environment: { SERVICE_TTS_ENABLED: word }, stored: stored({}) })
    expect(open).toThrow(SettingsRefused)
  })
})

describe('changes while running', () => {
  test('live keys apply at once and listeners are called; restart keys stay as they are and are pending', () => {
    const settings = openSettings({ environment: {}, stored: stored({}) })
    const heard: string[][] = []
    settings.onChange((changed) => heard.push([...changed]))
    settings.apply(stored({ SERVICE_LLM_CALL_TIMEOUT_S: '5', SERVICE_LLM_RETRIES: '9', SERVICE_REQUIRE_2FA: '1' }))
    expect(settings.get('SERVICE_LLM_CALL_TIMEOUT_S')).toBe(5)
    expect(settings.get('SERVICE_REQUIRE_2FA')).toBe(true)
    expect(settings.get('SERVICE_LLM_RETRIES')).toBe(3)
    expect(heard.map((keys) => keys.sort())).toEqual([['SERVICE_LLM_CALL_TIMEOUT_S', 'SERVICE_REQUIRE_2FA']])
    expect(described(settings, 'SERVICE_LLM_RETRIES')).toMatchObject({ value: '9', isPending: true })
    expect(described(settings, 'SERVICE_LLM_CALL_TIMEOUT_S')).toMatchObject({ isPending: false })
  })

  test('a reverted change is not pending', () => {
    const settings = openSettings({ environment: {}, stored: stored({}) })
    settings.apply(stored({ SERVICE_LLM_RETRIES: '9' }))
    settings.apply(stored({}))
    expect(described(settings, 'SERVICE_LLM_RETRIES')).toMatchObject({
      value: '3',
      isPending: false,
      origin: 'default',
    })
  })

  test('an invalid stored value is reported, and the previous one stays', () => {
    const settings = openSettings({ environment: {}, stored: stored({ SERVICE_LLM_TOP_P: '0.5' }) })
    const refusals = settings.apply(stored({ SERVICE_LLM_TOP_P: 'nine' }))
    expect(refusals.map((refusal) => refusal.key)).toEqual(['SERVICE_LLM_TOP_P'])
    expect(settings.get('SERVICE_LLM_TOP_P')).toBe(0.5)
  })

  test('a listener that unsubscribed is not called', () => {
    const settings = openSettings({ environment: {}, stored: stored({}) })
    let heard = 0
    settings.onChange(() => heard++)()
    settings.apply(stored({ SERVICE_LLM_TOP_P: '0.5' }))
    expect(heard).toBe(0)
  })
})

test('a secret’s value is never described, only whether it is set', () => {
  const settings = openSettings({
    environment: { SERVICE_LLM_API_KEY: 'hunter2' },
    stored: stored({ SERVICE_INBOUND_SECRET: 'swordfish' }),
  })
  expect(JSON.stringify(settings.describe())).not.toMatch(/hunter2|swordfish/)
  expect(described(settings, 'SERVICE_LLM_API_KEY')?.value).toEqual({ isSet: true })
  expect(described(settings, 'SERVICE_MEMORY_TOKEN')?.value).toEqual({ isSet: false })
})
