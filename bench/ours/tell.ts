/** Our actor's tell. */
import { Tally, tellRate } from '../load/tells.ts'
import { measurement } from '../process/measurement.ts'
import { benchSystem, counter } from './bench-actor.ts'

await measurement(({ messages }) => {
  const tally = new Tally()
  const actor = benchSystem({ tally }).actor(counter, 'one')
  return tellRate(tally, (amount) => actor.tell('add', { amount }), messages)
})
