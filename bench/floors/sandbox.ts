/** The floor of bubblewrap: the same shell as a plain child process, with no bounds at all. QuickJS has none of its kind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { programTimes } from '../load/programs.ts'
import { measurement } from '../process/measurement.ts'

await measurement(async ({ programs }) => {
  const { p50Ms, p99Ms } = await programTimes(async () => {
    const child = spawn('sh', ['-c', ':'], { stdio: 'ignore' })
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`sh ended with ${code}`)
  }, programs)
  return { shellP50Ms: p50Ms, shellP99Ms: p99Ms }
})
