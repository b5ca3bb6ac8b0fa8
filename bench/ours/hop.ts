/** Asks an actor that lives on another node. */
import { answering, hopLoad } from '../load/hops.ts'
import { measurement } from '../process/measurement.ts'
import { asker, echo, hopNode } from './hop-node.ts'

await measurement(async (scale) => {
  const other = await answering(new URL('hop-owner.ts', import.meta.url))
  const actor = (await hopNode(asker)).actor(echo, 'one')
  const figures = await hopLoad(async (text) => (await actor.ask('say', { text })).text, other, scale)
  await other.stop()
  return figures
})
