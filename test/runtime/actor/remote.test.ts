/** Actors of another node, over a bus in memory: what is of no known form is nobody's, and what waits for a node is bounded. */
import { expect, onTestFinished, test } from 'vitest'
import { msgpack } from '../../../runtime/actor/codec.ts'
import { actorDefiner } from '../../../runtime/actor/define.ts'
import { NobodyHome } from '../../../runtime/actor/errors.ts'
import { createSystem, type System } from '../../../runtime/actor/system.ts'
import { createLog } from '../../../runtime/log/log.ts'
import { type Links, openLinks } from '../../../runtime/nodes/links.ts'
import { exponential } from '../../../runtime/time/backoff.ts'
import { busBetween } from '../../support/lossy-bus.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const log = createLog({ level: 'silent' })

const echo = actorDefiner<null>()({
  kind: 'echo',
  key: { parse: (value: unknown): string => String(value) },
  placement: 'slot',
  mailbox: { capacity: 50_000 },
  supervision: { restarts: 5, withinMs: 60_000, backoff: exponential(50, 5_000) },
  start: () => null,
  receive: {
    say: (_context, { text }: { text: string }) => ({ text }),
    repeat: (_context, { text, times }: { text: string; times: number }) => ({ text: text.repeat(times) }),
  },
})

function underTest(owner: () => number | undefined) {
  const clock = virtualClock()
  const between = busBetween()
  const nodes = [1, 2].map((node): { system: System; links: Links } => {
    const links = openLinks({ bus: between.of(node), codec: msgpack, clock, log })
    const around = {
      ...{ node, isCurrent: true, nodes: [{ epoch: 1 }, { epoch: 2 }], ownerOf: owner, hold: () => undefined },
      of: () => (owner() === node ? 1 : undefined),
    }
    const system = createSystem({ services: null, log, clock, nodes: { around, links }, definitions: [echo] })
    onTestFinished(() => {
      links.close()
      return system.stop(0)
    })
    return { system, links }
  })
  const [one, two] = nodes as [(typeof nodes)[number], (typeof nodes)[number]]
  return { clock, one, two }
}

test('messages of no known form are ignored, and those behind them are not', async () => {
  const { clock, one, two } = underTest(() => 2)
  const bad = [
    null,
    7,
    {},
    { t: 'toString' },
    { t: 'ask', id: 1, kind: 'echo', key: 7, type: 'say', streams: [] },
    { t: 'ask', id: 1, kind: 'echo', key: 'k', type: 'say' },
    { t: 'ask', id: -1, kind: 'echo', key: 'k', type: 'say', streams: [] },
    { t: 'tell', kind: 'echo', key: 'k', type: 'constructor' },
    { t: 'failed', id: 1, failure: null },
    { t: 'end', stream: 's', failure: { type: 'x' } },
    { t: 'items', stream: 's', items: 'text' },
    { t: 'taken', stream: 's', count: Number.NaN },
  ]
  for (const message of bad) {
    one.links.send(2, message as object)
    two.links.send(1, message as object)
  }
  const answer = one.system.actor(echo, 'k').ask('say', { text: 'hello' })
  await clock.settle()
  expect(await answer).toEqual({ text: 'hello' })
})

test('messages to an actor that is nobody’s wait up to a bound, and are refused beyond it', async () => {
  let owner: number | undefined
  const { clock, one } = underTest(() => owner)
  const refused: unknown[] = []
  let answered = 0
  const asks = Array.from({ length: 20_010 }, () =>
    one.system
      .actor(echo, 'k')
      .ask('say', { text: '' }, { deadlineMs: Number.POSITIVE_INFINITY })
      .then(() => answered++)
      .catch((error: unknown) => refused.push(error)),
  )
  await clock.settle()
  expect(refused).toHaveLength(10)
  expect(refused[0]).toBeInstanceOf(NobodyHome)
  owner = 1
  await clock.advance(50)
  await Promise.all(asks)
  expect(answered).toBe(20_000)
})

test('a question or an answer that is too large for the way fails alone, and what is under way beside it does not', async () => {
  const { clock, one } = underTest(() => 2)
  const actor = one.system.actor(echo, 'k')
  const beside = actor.ask('say', { text: 'beside' })
  const tooLarge = [
    actor.ask('say', { text: 'x'.repeat(32 * 1_048_576) }),
    actor.ask('repeat', { text: 'x'.repeat(1_048_576), times: 32 }),
  ].map((ask) => ask.catch((error: unknown) => error))
  await clock.settle()
  expect(await beside).toEqual({ text: 'beside' })
  for (const failure of await Promise.all(tooLarge)) expect(failure).toMatchObject({ code: 'link_full' })
})
