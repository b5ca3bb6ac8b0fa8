/** What happens to open answers when credentials change, on virtual time. */
import { expect, it } from 'vitest'
import type { Principal } from '../../../http/access.ts'
import { type LiveAnswer, liveCredentials } from '../../../http/auth/live-credentials.ts'
import { minutes } from '../../../runtime/time/duration.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { principal } from '../support/server.ts'

const chatter = principal('chat')

function heldBy(by: string, look: LiveAnswer['findPrincipal']): LiveAnswer {
  return { path: '/v1/events/stream', credential: by, findPrincipal: look, isStillPermitted: () => true, end() {} }
}

function standingUnderTest() {
  const clock = virtualClock()
  let change = () => {}
  let names = 0
  const open = liveCredentials({
    clock,
    log: recordingLog('debug').log,
    onChange(fire) {
      change = fire
      return () => {}
    },
  })
  /** @param answers one for each time it is asked; the last of them for ever */
  function held(...answers: (boolean | Error)[]) {
    const state = { asked: 0, ended: 0 }
    const one = heldBy(`key ${names++}`, async () => {
      const answer = answers[Math.min(state.asked++, answers.length - 1)]
      if (answer instanceof Error) throw answer
      return answer === false ? undefined : chatter
    })
    return { state, one: { ...one, end: () => void state.ended++ } }
  }
  return { clock, open, held, change: () => change() }
}

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

it('a change ends what would not be let in now, once, and leaves the rest', async () => {
  const { open, held, change } = standingUnderTest()
  const [out, still] = [held(false), held(true)]
  open.watch(out.one, open.generation)
  open.watch(still.one, open.generation)
  change()
  change()
  await turns()
  change()
  await turns()
  expect(out.state).toEqual({ asked: 1, ended: 1 })
  expect(still.state.ended).toBe(0)
})

it('a change between the letting in and the beginning of the answer is heeded', async () => {
  const { open, held, change } = standingUnderTest()
  const since = open.generation
  change()
  const { one, state } = held(false)
  open.watch(one, since)
  await turns()
  expect(state.ended).toBe(1)
})

it('where nobody can say, the answer goes on, and is asked about again', async () => {
  const { clock, open, held, change } = standingUnderTest()
  const { one, state } = held(new Error('the database is away'), false)
  open.watch(one, open.generation)
  change()
  await turns()
  expect(state).toEqual({ asked: 1, ended: 0 })
  await clock.advance(1_000)
  await turns()
  expect(state).toEqual({ asked: 2, ended: 1 })
})

it('without any word of a change it is looked at every minute, and never after it was let go', async () => {
  const { clock, open, held } = standingUnderTest()
  const [out, gone] = [held(true, false), held(false)]
  open.watch(out.one, open.generation)
  open.watch(gone.one, open.generation)()
  for (let minute = 0; minute < 3; minute++) {
    await clock.advance(minutes(1))
    await turns()
  }
  expect(out.state).toEqual({ asked: 2, ended: 1 })
  expect(gone.state).toEqual({ asked: 0, ended: 0 })
})

it('five thousand answers of one credential cost one look, and each is judged by what is its own', async () => {
  const { open, change } = standingUnderTest()
  let looks = 0
  const ended: number[] = []
  const look = async () => {
    looks++
    return chatter
  }
  for (let place = 0; place < 5_000; place++) {
    const isStill = (now: Principal) => now === chatter && place % 2 === 0
    open.watch(
      { ...heldBy('key 1', look), isStillPermitted: isStill, end: () => void ended.push(place) },
      open.generation,
    )
  }
  change()
  await expect.poll(() => ended.length).toBe(2_500)
  expect(ended.every((place) => place % 2 === 1)).toBe(true)
  expect(looks).toBe(1)
  expect(open.count('/v1/events/stream')).toBe(2_500)
})

it('many credentials are looked at side by side, a few at a time, and one that hangs holds up none of the others', async () => {
  const { open, change } = standingUnderTest()
  let [running, most, ended] = [0, 0, 0]
  open.watch(
    heldBy('key that hangs', () => new Promise(() => {})),
    open.generation,
  )
  for (let place = 0; place < 100; place++) {
    const look = async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return undefined
    }
    open.watch({ ...heldBy(`key ${place}`, look), end: () => void ended++ }, open.generation)
  }
  change()
  await expect.poll(() => ended).toBe(100)
  expect(most).toBe(3)
})

it('an answer that began during the look is not judged by it', async () => {
  const { open, change } = standingUnderTest()
  const looked = Promise.withResolvers<undefined>()
  let [asked, ended] = [0, 0]
  const look = () => (asked++ === 0 ? looked.promise : Promise.resolve(chatter))
  const one = () => ({ ...heldBy('key 1', look), end: () => void ended++ })
  open.watch(one(), open.generation)
  change()
  await expect.poll(() => asked).toBe(1)
  open.watch(one(), open.generation)
  looked.resolve(undefined)
  await turns()
  expect(ended).toBe(1)
  expect(open.count('/v1/events/stream')).toBe(1)
})
