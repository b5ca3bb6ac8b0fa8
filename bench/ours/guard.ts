/** The guard on a message of a user, with its learned part. */
import { createGuard } from '../../guard/guard.ts'
import { coldCalls } from '../load/cold-calls.ts'
import { measurement } from '../process/measurement.ts'

await measurement(async ({ inspections }) => {
  const guard = createGuard()
  return coldCalls((text) => guard.inspect(text, 'user').score, inspections)
})
