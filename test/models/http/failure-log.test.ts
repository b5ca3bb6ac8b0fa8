/** What the log says of an endpoint that fails: with the reason that clients do not see, and not once for every call. */
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../bench/process/free-port.ts'
import { minutes } from '../../../runtime/time/duration.ts'
import { completionOf, failure, json } from '../../support/model-endpoint.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { failureOf, requestFor, scriptedEndpoint, streaming, transportTo } from '../support/calls.ts'

function logged(url: string) {
  const { log, lines } = recordingLog()
  const clock = virtualClock()
  const transport = transportTo({ url }, { log, clock })
  onTestFinished(() => transport.close())
  const about = () => lines.filter(({ msg }) => msg.startsWith('calls to a model endpoint'))
  return { transport, clock, about }
}

test('an endpoint that is not reached is logged with its address and what the system said', async () => {
  const port = await freePort()
  const { transport, about } = logged(`http://127.0.0.1:${port}/v1`)
  const error = await failureOf(streaming(transport).done)
  expect(error.message).not.toContain(String(port))
  expect(about()).toMatchObject([
    {
      msg: 'calls to a model endpoint fail',
      endpoint: `http://127.0.0.1:${port}`,
      code: 'endpoint_unreachable',
      reason: `the model endpoint cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
    },
  ])
})

test('while it fails there is one line a minute with the number of calls, and one when it answers again', async () => {
  const endpoint = await scriptedEndpoint()
  const { transport, clock, about } = logged(endpoint.url)
  const fail = async () => {
    endpoint.script(failure(500))
    await failureOf(transport.complete(requestFor()))
  }
  for (let call = 0; call < 4; call++) await fail()
  expect(about()).toMatchObject([{ failed: 1 }])
  await clock.advance(minutes(1))
  await fail()
  expect(about()).toMatchObject([{ failed: 1 }, { failed: 4 }])
  endpoint.script(json(completionOf('good')), json(completionOf('good')))
  await transport.complete(requestFor())
  await transport.complete(requestFor())
  expect(about().map(({ msg }) => msg)).toEqual([
    'calls to a model endpoint fail',
    'calls to a model endpoint fail',
    'calls to a model endpoint succeed again',
  ])
})

test('what is wrong with a request is no failure of the endpoint', async () => {
  const endpoint = await scriptedEndpoint()
  const { transport, about } = logged(endpoint.url)
  endpoint.script(failure(400, 'too hot'))
  await failureOf(transport.complete(requestFor()))
  expect(about()).toEqual([])
})
