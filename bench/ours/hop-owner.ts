/** The node that has the actor, in a process of its own. */
import { hopNode, owner } from './hop-node.ts'

await hopNode(owner)
process.send?.({ type: 'ready' })
process.on('disconnect', () => process.exit(0))
