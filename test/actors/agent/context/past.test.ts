/** What is known of a conversation's past, carried on from turn to turn as a read of the store would have it. */
import { expect, test } from 'vitest'
import {
  type ConversationPast,
  emptyPast,
  extendPast,
  type PastMessage,
  pastMessagesMax,
} from '../../../../actors/agent/context/past.ts'
import { user } from './support.ts'

const at = (turnSeq: number, text = `${turnSeq}`): PastMessage => ({ message: user(text), turnSeq })
const past = (...turnSeqs: number[]): ConversationPast => ({ ...emptyPast, messages: turnSeqs.map((seq) => at(seq)) })
const places = ({ messages }: ConversationPast) => messages.map(({ turnSeq }) => turnSeq)

test('the messages of a turn come after the earlier ones', () => {
  expect(places(extendPast(past(1, 2), [at(3), at(3)], null))).toEqual([1, 2, 3, 3])
})

test('the messages of a turn that waited come before later turns that were answered meanwhile, the question before its answer', () => {
  const added = [at(3, 'question'), at(3, 'answer')]
  const { messages } = extendPast(past(1, 2, 4), added, null)
  expect(messages.map(({ message }) => message.content)).toEqual(['1', '2', 'question', 'answer', '4'])
})

test('messages that a new summary covers are dropped; without a new one the old one stays', () => {
  const first = extendPast(past(1, 2, 3), [at(4)], { text: 'so far', seq: 2 })
  expect([first.summary, places(first)]).toEqual([{ text: 'so far', seq: 2 }, [3, 4]])
  expect(extendPast(first, [at(5)], null).summary).toEqual({ text: 'so far', seq: 2 })
  expect(places(extendPast(first, [], { text: 'all', seq: 4 }))).toEqual([])
})

test('as many of the newest messages are kept as a read would return', () => {
  const many = past(...Array.from({ length: pastMessagesMax }, (_, n) => n + 1))
  const next = places(extendPast(many, [at(501), at(502)], null))
  expect([next.length, next[0], next.at(-1)]).toEqual([pastMessagesMax, 3, 502])
  const rolled = places(extendPast(many, [at(501)], { text: 's', seq: 400 }))
  expect([rolled.length, rolled[0]]).toEqual([101, 401])
})
