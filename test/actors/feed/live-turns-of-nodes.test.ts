/** The answer of a turn on one node for those who watch on another, whatever is lost between them. */
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import type { LiveTurn, LiveTurns } from '../../../actors/feed/live-turns.ts'
import { liveTurnsOfNodes } from '../../../actors/feed/live-turns-of-nodes.ts'
import { newConversationId, newTurnId } from '../../../store/id.ts'
import { type BusBetween, busBetween } from '../../support/lossy-bus.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

const conversation = newConversationId()
let between: BusBetween
let clock: VirtualClock
let owner: number
let one: LiveTurns
let two: LiveTurns
let three: LiveTurns

function open(): void {
  between = busBetween()
  clock = virtualClock()
  owner = 1
  const of = (node: number) =>
    liveTurnsOfNodes({
      bus: between.of(node),
      nodes: { node, of: () => 1, isCurrent: true, ownerOf: () => owner } as never,
      clock,
    })
  one = of(1)
  two = of(2)
  three = of(3)
}
beforeEach(open)

/** What a watcher has heard, by turn and attempt. */
function watch(at: LiveTurns) {
  const heard = new Map<LiveTurn, string>()
  let typed = 0
  const leave = at.watch(conversation, {
    delta(turn, offset, text) {
      const before = heard.get(turn) ?? ''
      expect(offset).toBe(before.length)
      heard.set(turn, before + text)
    },
    typing: () => void typed++,
  })
  return {
    leave,
    get said() {
      return [...heard.values()]
    },
    get typed() {
      return typed
    },
  }
}

function speaking(at: LiveTurns, startedXid = 5n, turnId = newTurnId()) {
  let text = ''
  const out = at.begin(conversation, { turnId, startedXid, soFar: () => text })
  return {
    turnId,
    say(piece: string) {
      text += piece
      out.text(piece)
    },
    end: () => out.end(),
  }
}

it('is heard from its first word to its end, on each node that watches', async () => {
  const heard = [watch(two), watch(three)]
  await clock.settle()
  const turn = speaking(one)
  turn.say('Good ')
  turn.say('morning')
  await clock.settle()
  expect(two.current(conversation)?.turnId).toBe(turn.turnId)
  turn.say('!')
  turn.end()
  await clock.settle()
  for (const { said } of heard) expect(said).toEqual(['Good morning!'])
  expect(two.current(conversation)).toBeUndefined()
})

it('that runs already is there for who comes to watch', async () => {
  const turn = speaking(one)
  turn.say('Good ')
  const heard = watch(two)
  await clock.settle()
  turn.say('morning')
  await clock.settle()
  expect(heard.said).toEqual(['Good morning'])
})

it('is replaced by its next attempt, and one of an earlier attempt comes to nothing', async () => {
  const heard = watch(two)
  await clock.settle()
  const first = speaking(one, 5n)
  first.say('wrong')
  await clock.settle()
  first.end()
  const second = speaking(one, 6n, first.turnId)
  second.say('right')
  await clock.settle()
  expect(heard.said).toEqual(['wrong', 'right'])
})

it('is followed to the node that takes the conversation', async () => {
  const heard = watch(two)
  await clock.settle()
  speaking(one, 5n).say('before')
  await clock.settle()
  owner = 3
  await clock.advance(1_000)
  expect(two.current(conversation)).toBeUndefined()
  speaking(three, 6n).say('after')
  await clock.settle()
  expect(heard.said).toEqual(['before', 'after'])
})

it('is sent to nobody once nobody watches', async () => {
  const heard = watch(two)
  await clock.settle()
  heard.leave()
  await clock.advance(4_000)
  const sent: string[] = []
  between.loses = (_from, to) => sent.push(String(to)) > 0
  speaking(one).say('alone')
  await clock.settle()
  expect(sent).toEqual([])
  expect(clock.timersWaiting).toBe(0)
})

it('typing reaches the watchers of every node, and not who types', async () => {
  const [here, there, beyond] = [watch(one), watch(two), watch(three)]
  await clock.settle()
  const own = { delta() {}, typing: () => expect.fail('told itself') }
  two.watch(conversation, own)
  two.typing(conversation, own)
  await clock.settle()
  expect([here.typed, there.typed, beyond.typed]).toEqual([1, 1, 1])
})

it('takes nothing that is not of its form', async () => {
  const heard = watch(two)
  const bus = between.of(9)
  const bad = [
    null,
    7,
    {},
    { conversation, turn: 't', xid: 'x', offset: 0, text: 'a' },
    { conversation, turn: 't', xid: '1', offset: -1, text: 'a' },
  ]
  for (const kind of ['live.follow', 'live.text', 'live.end', 'live.typing'])
    for (const body of bad) bus.broadcast(kind, body)
  await clock.settle()
  expect(heard.said).toEqual([])
})

it('comes to the character, whichever messages are lost', async () => {
  const step = fc.oneof(
    fc.constant('loss' as const),
    fc.constant('second' as const),
    fc.string({ minLength: 1, maxLength: 4 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      open()
      const heard = watch(two)
      await clock.settle()
      const turn = speaking(one)
      let said = ''
      for (const each of steps) {
        if (each === 'loss') between.loses = () => true
        else if (each === 'second') {
          between.loses = () => false
          await clock.advance(1_000)
        } else {
          turn.say(each)
          said += each
          await clock.settle()
        }
      }
      between.loses = () => false
      await clock.advance(1_000)
      expect(heard.said.join('')).toBe(said)
      turn.end()
    }),
    { numRuns: propertyRuns(100) },
  )
})
