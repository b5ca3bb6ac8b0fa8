/** The floor of many actors: array mailboxes in a map. */
import { crowdFigures } from '../load/crowd.ts'
import { measurement } from '../process/measurement.ts'
import { ArrayMailbox } from './array-mailbox.ts'

await measurement(({ actors }) => {
  const all = new Map<string, ArrayMailbox<{ greeted: number }, { type: 'greet'; answer(count: number): void }>>()
  return crowdFigures(
    {
      async meet(key) {
        const actor = new ArrayMailbox<{ greeted: number }, { type: 'greet'; answer(count: number): void }>(
          { greeted: 0 },
          (state, { answer }) => answer(++state.greeted),
        )
        all.set(key, actor)
        await new Promise<number>((answer) => actor.tell({ type: 'greet', answer }))
      },
      live: () => all.size,
      async leave() {
        all.clear()
      },
    },
    actors,
  )
})
