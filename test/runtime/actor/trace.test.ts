import { expect, test } from 'vitest'
import type { Tracer } from '../../../runtime/telemetry/trace.ts'
import { anyKey, briefSupervision, defineTestActor, testSystem } from '../../support/actors.ts'
import { recordingTracer } from '../../support/recording-tracer.ts'

const hop = defineTestActor({
  kind: 'hop',
  key: anyKey,
  mailbox: { capacity: 8 },
  supervision: briefSupervision,
  start: () => ({}),
  receive: {
    async first(context): Promise<void> {
      await Promise.resolve()
      await context.actor(last, 'z').ask('second', {})
    },
  },
})

const last = defineTestActor({
  kind: 'last',
  key: anyKey,
  mailbox: { capacity: 8 },
  supervision: briefSupervision,
  start: () => ({}),
  receive: {
    second(context) {
      if (context.services.failures.length > 0) throw context.services.failures[0]
    },
  },
})

test('one span tree follows a message from actor to actor, across awaits', async () => {
  const { tracer, spans } = recordingTracer()
  const { system } = testSystem({ tracer })
  const root = tracer.span('request')
  await tracer.inSpan(root.context, () => system.actor(hop, 'a').ask('first', {}))
  root.end()
  expect(spans).toMatchObject([
    { name: 'request', parent: undefined, isEnded: true },
    { name: 'hop.first', parent: 'request', isEnded: true },
    { name: 'last.second', parent: 'hop.first', isEnded: true },
  ])
})

test('a handler that throws fails its span', async () => {
  const { tracer, spans } = recordingTracer()
  const { system, journal } = testSystem({ tracer })
  journal.failures.push(new Error('boom'))
  await system
    .actor(last, 'a')
    .ask('second', {})
    .catch(() => undefined)
  expect(spans).toMatchObject([{ name: 'last.second', error: 'boom', isEnded: true }])
})

test('while tracing is off no span is made', async () => {
  let spanCount = 0
  const off: Tracer = {
    isEnabled: false,
    span: () => {
      spanCount++
      throw new Error('asked for a span')
    },
    current: () => undefined,
    inSpan: (_context, work) => work(),
  }
  const { system } = testSystem({ tracer: off })
  await system.actor(hop, 'a').ask('first', {})
  expect(spanCount).toBe(0)
})
