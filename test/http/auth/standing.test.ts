/** What happens to open answers when credentials change, on virtual time. */
import { expect, it } from 'vitest'
import { standing } from '../../../src/http/auth/standing.ts'
import { minutes } from '../../../src/runtime/duration.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

function standingUnderTest() {
  const clock = virtualClock()
  let change = () => {}
  const open = standing({
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
    const one = {
      async isStill() {
        const answer = answers[Math.min(state.asked++, answers.length - 1)]
        if (answer instanceof Error) throw answer
        return answer ?? true
      },
      end: () => void state.ended++,
    }
    return { state, one }
  }
  return { clock, open, held, change: () => change() }
}

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

it('a change ends what would not be let in now, once, and leaves the rest', async () => {
  const { open, held, change } = standingUnderTest()
  const [out, still] = [held(false), held(true)]
  open.hold(out.one, open.generation)
  open.hold(still.one, open.generation)
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
  open.hold(one, since)
  await turns()
  expect(state.ended).toBe(1)
})

it('where nobody can say, the answer goes on, and is asked about again', async () => {
  const { clock, open, held, change } = standingUnderTest()
  const { one, state } = held(new Error('the database is away'), false)
  open.hold(one, open.generation)
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
  open.hold(out.one, open.generation)
  open.hold(gone.one, open.generation)()
  for (let minute = 0; minute < 3; minute++) {
    await clock.advance(minutes(1))
    await turns()
  }
  expect(out.state).toEqual({ asked: 2, ended: 1 })
  expect(gone.state).toEqual({ asked: 0, ended: 0 })
})
