/** Many of nact's actors. */
import { crowdFigures } from '../load/crowd.ts'
import { measurement } from '../process/measurement.ts'
import { loadNact } from './nact.ts'

await measurement(({ actors }) => {
  const { start, spawn, dispatch, query } = loadNact()
  const system = start()
  let started = 0
  const handle = (state: { greeted: number }, { sender }: { sender: unknown }) => {
    dispatch(sender, {})
    return { greeted: state.greeted + 1 }
  }
  return crowdFigures(
    {
      async meet(key) {
        // The parent keeps it by its name.
        const actor = spawn(system, handle, key, { initialState: { greeted: 0 } })
        await query(actor, (sender) => ({ type: 'greet', sender }), 30_000)
        started++
      },
      live: () => started,
    },
    actors,
  )
})
