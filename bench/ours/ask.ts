/** Our actor's ask. */
import { askRate } from '../load/asks.ts'
import { Tally } from '../load/tells.ts'
import { measurement } from '../process/measurement.ts'
import { benchSystem, counter } from './bench-actor.ts'

await measurement(({ messages }) => {
  const actor = benchSystem({ tally: new Tally() }).actor(counter, 'one')
  return askRate((amount) => actor.ask('next', { amount }), messages)
})
