/** The floor of tell: a bare array mailbox. */
import { Tally, tellRate } from '../load/tells.ts'
import { measurement } from '../process/measurement.ts'
import { ArrayMailbox } from './array-mailbox.ts'

await measurement(({ messages }) => {
  const tally = new Tally()
  const actor = new ArrayMailbox<Tally, { type: 'add'; amount: number }>(tally, (state, { amount }) =>
    state.hit(amount),
  )
  return tellRate(tally, (amount) => actor.tell({ type: 'add', amount }), messages)
})
