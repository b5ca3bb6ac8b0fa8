/** The registry of providers: whatever stands in it is chosen, called, checked by the doctor and tried by the admin API. */
import { expect, onTestFinished, test } from 'vitest'
import { checkModel } from '../../cli/doctor/model.ts'
import { openSettings } from '../../config/settings.ts'
import { tryModel } from '../../http/admin/settings/model-trial.ts'
import { modelChooser } from '../../models/choose.ts'
import { chosenProvider, endpointOf, endpointProviders, providers } from '../../models/providers.ts'
import { systemRandom } from '../../runtime/random.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { completionOf, json } from '../support/model-endpoint.ts'
import { recordingLog } from '../support/recording-log.ts'
import { requestFor, scriptedEndpoint } from './support/calls.ts'
import { messageItem, wholeResponse } from './support/responses.ts'

/** Answers in either style, and lists its one model. */
async function anyEndpoint() {
  const endpoint = await scriptedEndpoint()
  endpoint.always((call) => {
    const { path } = call.request
    if (path.endsWith('/models')) return json({ data: [{ id: 'listed' }] })(call)
    return path.endsWith('/responses') ? wholeResponse(messageItem('OK'))(call) : json(completionOf('OK'))(call)
  })
  return endpoint
}

test.each(endpointProviders.map((provider) => [provider.kind, provider] as const))(
  '%s is chosen by its settings, answers calls, and is reached by the doctor and by a trial',
  async (kind, provider) => {
    const endpoint = await anyEndpoint()
    const { url, key, model } = provider.settingKeys
    const environment = {
      [url]: endpoint.url,
      [key]: 'sk-own',
      [model]: 'listed',
      SERVICE_LLM_PROVIDER: provider.name ?? '',
    }
    const settings = openSettings({ environment, stored: new Map() })
    expect(chosenProvider(settings)).toEqual({ provider, model: 'listed' })

    const chooser = modelChooser({ settings, clock: systemClock, random: systemRandom, log: recordingLog().log })
    onTestFinished(() => chooser.close())
    expect((await chooser.current().complete(requestFor())).choices[0]?.message['content']).toBe('OK')

    expect(await checkModel(settings)).toEqual([
      { check: 'model', state: 'ok', found: `the ${kind} endpoint answers, model listed` },
    ])
    const trial = { provider, endpoint: endpointOf(provider, settings), settings }
    expect(await tryModel(trial, systemClock, new AbortController().signal)).toMatchObject({ isOk: true, said: 'OK' })
    expect(new Set(endpoint.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer sk-own']))
  },
)

test('no two providers share a kind, a name or a setting for their address or key', () => {
  const distinct = (values: readonly string[]) => new Set(values).size === values.length
  expect(distinct(providers.map(({ kind }) => kind))).toBe(true)
  expect(distinct(providers.flatMap(({ name }) => name ?? []))).toBe(true)
  expect(distinct(endpointProviders.flatMap(({ settingKeys: { url, key } }) => [url, key]))).toBe(true)
})
