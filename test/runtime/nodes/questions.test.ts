/** Questions between nodes: what is no question is not answered, only who was asked answers, and no more wait than may. */
import { beforeEach, expect, it } from 'vitest'
import type { Bus } from '../../../runtime/nodes/bus.ts'
import { questions } from '../../../runtime/nodes/questions.ts'
import { type BusBetween, busBetween } from '../../support/lossy-bus.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

let between: BusBetween
let clock: VirtualClock
let asked: number[]
let buses: Bus[]
let ask: (node: number, question: number) => Promise<number | undefined>
beforeEach(() => {
  between = busBetween()
  clock = virtualClock()
  asked = []
  buses = [1, 2, 3].map((node) => between.of(node))
  const isNumber = (body: unknown): body is number => typeof body === 'number'
  const [first] = buses.map((bus) =>
    questions<number, number>({
      ...{ bus, clock, isQuestion: isNumber, isAnswer: isNumber },
      kinds: { question: 'double', answer: 'doubled' },
      withinMs: 100,
      askedMax: 5,
      answer(question) {
        if (question < 0) throw new RangeError('not below 0')
        asked.push(question)
        return question * 2
      },
    }),
  )
  ask = first ?? (async () => undefined)
})

it('is answered by the node that is asked', async () => {
  const answer = ask(2, 21)
  await clock.settle()
  expect(await answer).toBe(42)
  expect(asked).toEqual([21])
})

it('takes no answer of another node, and none that has the wrong form', async () => {
  between.loses = (from) => from === 2
  const answer = ask(2, 21)
  buses[2]?.send(1, 'doubled', { id: 1, body: 666 })
  buses[2]?.send(1, 'doubled', { id: 1, body: 'text' })
  buses[2]?.send(1, 'doubled', null)
  await clock.advance(100)
  expect(await answer).toBeUndefined()
})

it('what is no question is not answered', async () => {
  buses[0]?.send(2, 'double', { id: 1, body: 'text' })
  buses[0]?.send(2, 'double', { body: 5 })
  buses[0]?.send(2, 'double', undefined)
  await clock.settle()
  expect(asked).toEqual([])
})

it('past the bound there is no answer at once, and later there is again', async () => {
  between.loses = () => true
  const waiting = Array.from({ length: 5 }, () => ask(2, 1))
  expect(await ask(2, 1)).toBeUndefined()
  await clock.advance(100)
  expect(await Promise.all(waiting)).toEqual(Array(5).fill(undefined))
  between.loses = () => false
  const answer = ask(2, 4)
  await clock.settle()
  expect(await answer).toBe(8)
})

it('an answer that fails is not given, and whoever listens for defects hears of it', async () => {
  const answer = ask(2, -1)
  await clock.advance(100)
  expect(await answer).toBeUndefined()
  expect(between.defects).toEqual([new RangeError('not below 0')])
})
