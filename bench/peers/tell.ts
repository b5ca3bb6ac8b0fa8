/** nact's dispatch. */
import { Tally, tellRate } from '../load/tells.ts'
import { measurement } from '../process/measurement.ts'
import { loadNact } from './nact.ts'

await measurement(({ messages }) => {
  const { start, spawn, dispatch } = loadNact()
  const tally = new Tally()
  const handle = (state: Tally, { amount }: { amount: number }) => {
    state.hit(amount)
    return state
  }
  const actor = spawn(start(), handle, 'one', { initialState: tally })
  // A tenth of the messages: it is an order of magnitude slower, and the rate is per second.
  return tellRate(tally, (amount) => dispatch(actor, { type: 'add', amount }), messages / 10)
})
