/** A call on a text that finds little in the processor's caches, as in a service that does other things in between; and one that finds all. */
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'

/** A quarter of a page of a customer's mail: nothing in it looks like an attack. */
const text =
  'Hello, I ordered four pallets of packing paper last week and the confirmation said that they would leave the warehouse on ' +
  'Tuesday. I have not heard anything since. Could you tell me where they are, whether I have to be at the gate myself when ' +
  'the carrier comes, and whom I should call if a pallet is damaged? Thank you very much.'

/** What is read in between: more than a core's own caches hold, and as much as all that the cores of such a machine share. */
const otherMiB = { cold8Us: 8, cold32Us: 32 }
const lineNumbers = 64 / Float64Array.BYTES_PER_ELEMENT
const warmUps = 10_000
const warmCalls = 1_000

/** @param call returns a number, so that nothing of it is left out */
export function coldCalls(call: (text: string) => number, calls: number): Figures {
  let sum = 0
  for (let nth = 0; nth < warmUps; nth++) sum += call(text)
  const figures: Figures = {}
  for (const [figure, mebibytes] of Object.entries(otherMiB)) {
    const other = new Float64Array((mebibytes * 1024 * 1024) / Float64Array.BYTES_PER_ELEMENT)
    const tookUs: number[] = []
    for (let nth = 0; nth < calls; nth++) {
      for (let at = 0; at < other.length; at += lineNumbers) other[at] = (other[at] ?? 0) + 1
      tookUs.push(processorUs(() => (sum += call(text))))
    }
    figures[figure] = percentile(tookUs, 50)
  }
  const warmUs = processorUs(() => {
    for (let nth = 0; nth < warmCalls; nth++) sum += call(text)
  })
  if (Number.isNaN(sum)) throw new Error('the call returns no number')
  return { ...figures, warmUs: warmUs / warmCalls }
}

/** Of the process, so that what others do on the machine is not counted. */
function processorUs(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
