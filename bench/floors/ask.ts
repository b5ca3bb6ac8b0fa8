/** The floor of ask: a bare array mailbox and one promise a message. */
import { askRate } from '../load/asks.ts'
import { measurement } from '../process/measurement.ts'
import { ArrayMailbox } from './array-mailbox.ts'

interface Question {
  type: 'next'
  amount: number
  answer(value: number): void
}

await measurement(({ messages }) => {
  const actor = new ArrayMailbox<null, Question>(null, (_state, { amount, answer }) => answer(amount + 1))
  const ask = (amount: number) =>
    new Promise<number>((resolve) => actor.tell({ type: 'next', amount, answer: resolve }))
  return askRate(ask, messages)
})
