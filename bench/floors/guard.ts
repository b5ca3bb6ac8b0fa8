/** The floor of the guard: each character read once. */
import { coldCalls } from '../load/cold-calls.ts'
import { measurement } from '../process/measurement.ts'

await measurement(async ({ inspections }) =>
  coldCalls((text) => {
    let sum = 0
    for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at)
    return sum
  }, inspections),
)
