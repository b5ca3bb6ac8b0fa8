/** Our sandboxes, as the tool `code_exec` has them: chosen by the settings and what the host has. */
import { openSettings } from '../../config/settings.ts'
import { createLog } from '../../runtime/log/log.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import type { CodeSandbox } from '../../tools/code/sandbox.ts'
import { openSandboxes } from '../../tools/code/sandboxes.ts'
import { programTimes } from '../load/programs.ts'
import { measurement } from '../process/measurement.ts'

const settings = openSettings({ environment: { SERVICE_CODE_EXEC_ALLOW_HOST: '1' }, stored: new Map() })
const dependencies = { settings, log: createLog({ level: 'error' }), clock: systemClock }
/** A program that has not ended by then has failed. */
const timeoutMs = 5_000

await measurement(async ({ programs }) => {
  const sandboxes = openSandboxes(dependencies, { path: process.env['PATH'] ?? '', threads: 1 })
  const quickjs = await sandboxes.forLanguage('javascript')
  if (!quickjs) throw new Error('no sandbox for javascript')
  const { p50Ms, p99Ms, firstMs } = await programTimes(() => runOnce(quickjs, 'javascript', '0'), programs)
  const figures = { quickjsP50Ms: p50Ms, quickjsP99Ms: p99Ms, quickjsFirstMs: firstMs }
  const shell = await sandboxes.forLanguage('sh')
  // A plain child in its place would be a figure of something else.
  const wrapped = shell?.name === 'bubblewrap' ? shell : undefined
  const times = wrapped && (await programTimes(() => runOnce(wrapped, 'sh', ':'), programs))
  await sandboxes.close()
  return times ? { ...figures, shellP50Ms: times.p50Ms, shellP99Ms: times.p99Ms } : figures
})

async function runOnce(sandbox: CodeSandbox, language: string, code: string): Promise<void> {
  const result = await sandbox.run({ language, code, stdin: '', timeoutMs }, AbortSignal.timeout(2 * timeoutMs))
  if (result.end !== 'exited' || result.exitCode !== 0)
    throw new Error(`${sandbox.name} ended with ${JSON.stringify(result)}`)
}
