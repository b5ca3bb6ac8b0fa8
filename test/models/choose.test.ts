/** Which transport the settings mean, and that live changes are followed. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSettings } from '../../config/settings.ts'
import { modelChooser } from '../../models/choose.ts'
import { chosenProvider, hasEndpoint } from '../../models/providers.ts'
import { seededRandom } from '../../runtime/random.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { recordingLog } from '../support/recording-log.ts'
import { failureOf, requestFor, scriptedEndpoint, streaming } from './support/calls.ts'
import { messageItem, wholeResponse } from './support/responses.ts'

const settingsOf = (environment: Record<string, string>) => openSettings({ environment, stored: new Map() })

function chooserOf(environment: Record<string, string>) {
  const settings = settingsOf(environment)
  const { log, lines } = recordingLog()
  const chooser = modelChooser({ settings, clock: systemClock, random: seededRandom(1), log })
  onTestFinished(() => chooser.close())
  return { settings, chooser, lines }
}

const url = { SERVICE_LLM_GATEWAY_URL: 'http://127.0.0.1:9/v1' }
const native = { SERVICE_NATIVE_API_KEY: 'sk-native', SERVICE_NATIVE_BASE_URL: 'http://127.0.0.1:9/v1' }
const as = (SERVICE_LLM_PROVIDER: string) => ({ SERVICE_LLM_PROVIDER })

describe('the provider', () => {
  test.each([
    [{}, 'demonstration'],
    [url, 'compatible'],
    [native, 'native'],
    [{ ...url, ...native }, 'compatible'],
    [{ ...as('compatible'), ...native }, 'native'],
    [as('compatible'), 'demonstration'],
    [{ ...as('Subscription '), ...url, ...native }, 'subscription'],
  ])('of %o is %s', (environment, kind) => {
    expect(chosenProvider(settingsOf(environment)).provider.kind).toBe(kind)
  })

  test.each([
    [{}, false],
    [url, true],
    [native, true],
    [{ SERVICE_NATIVE_API_KEY: 'sk-native' }, false],
    [as('subscription'), false],
  ])('of %o has an endpoint to call: %s', (environment, expected) => {
    expect(hasEndpoint(settingsOf(environment))).toBe(expected)
  })

  test('has a model of its own, else the one of all', () => {
    const model = { SERVICE_LLM_MODEL: 'any' }
    const own = { SERVICE_NATIVE_MODEL: 'n', SERVICE_SUBSCRIPTION_MODEL: 's' }
    const models = [{ ...url }, { ...native }, as('subscription')].map((environment) => [
      chosenProvider(settingsOf({ ...environment, ...model })).model,
      chosenProvider(settingsOf({ ...environment, ...model, ...own })).model,
    ])
    expect(models).toEqual([
      ['any', 'any'],
      ['any', 'n'],
      ['any', 's'],
    ])
  })

  test('of an unknown name counts as none, and the log says so', () => {
    const { chooser, lines } = chooserOf({ ...as('bogus'), ...url })
    expect(chooser.current().name).toBe('http://127.0.0.1:9')
    expect(lines).toMatchObject([{ level: 40, provider: 'bogus', using: 'compatible' }])
  })

  test.each([
    [as('subscription'), 'SERVICE_SUBSCRIPTION_BASE_URL'],
    [{ SERVICE_NATIVE_API_KEY: 'sk-native' }, 'SERVICE_NATIVE_BASE_URL'],
  ])('of %o without an address refuses every call with the name of %s', async (environment, missing) => {
    const { chooser, lines } = chooserOf(environment)
    for (const call of [chooser.current().complete(requestFor()), streaming(chooser.current()).done]) {
      const error = await failureOf(call)
      expect(error).toMatchObject({ code: 'not_configured', status: 503, isTransient: false })
      expect(error.message).toContain(missing)
    }
    expect(lines).toMatchObject([{ level: 50, missing }])
  })
})

test('the provider, and the subscription’s cap and depth, are live', async () => {
  const endpoint = await scriptedEndpoint()
  endpoint.always(wholeResponse(messageItem('ok')))
  const { settings, chooser } = chooserOf({
    SERVICE_SUBSCRIPTION_BASE_URL: endpoint.url,
    SERVICE_SUBSCRIPTION_ACCESS_TOKEN: 'tok',
  })
  expect(chooser.current().name).toBe('demo')
  settings.apply(new Map([['SERVICE_LLM_PROVIDER', 'subscription']]))
  await chooser.current().complete(requestFor())
  settings.apply(
    new Map([
      ['SERVICE_LLM_PROVIDER', 'subscription'],
      ['SERVICE_SUBSCRIPTION_MAX_OUTPUT_TOKENS', '64'],
      ['SERVICE_SUBSCRIPTION_REASONING_EFFORT', 'minimal'],
    ]),
  )
  await chooser.current().complete(requestFor())
  settings.apply(
    new Map([
      ['SERVICE_LLM_PROVIDER', 'subscription'],
      ['SERVICE_SUBSCRIPTION_REASONING_EFFORT', 'high'],
    ]),
  )
  await chooser.current().complete(requestFor())
  expect(endpoint.requests.map(({ body }) => [body.max_output_tokens, body.reasoning.effort])).toEqual([
    [undefined, 'low'],
    [64, 'low'],
    [undefined, 'high'],
  ])
})
