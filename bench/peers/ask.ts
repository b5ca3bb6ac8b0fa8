/** nact's query. */
import { askRate } from '../load/asks.ts'
import { measurement } from '../process/measurement.ts'
import { loadNact } from './nact.ts'

/** Our own asks have the same deadline. */
const deadlineMs = 30_000

await measurement(({ messages }) => {
  const { start, spawn, dispatch, query } = loadNact()
  const handle = (state: null, { amount, sender }: { amount: number; sender: unknown }) => {
    dispatch(sender, amount + 1)
    return state
  }
  const actor = spawn(start(), handle, 'one', { initialState: null })
  const ask = (amount: number) => query<number>(actor, (sender) => ({ type: 'next', amount, sender }), deadlineMs)
  return askRate(ask, messages / 10)
})
