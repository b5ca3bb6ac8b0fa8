/** The tool `code_exec`: runs a program in the strongest sandbox that the settings and the host allow, and returns its output. */
import { z } from 'zod'
import { places } from '../runtime/time/places.ts'
import { auditRun } from './code/audit.ts'
import { languageOf } from './code/interpreters.ts'
import { resultText } from './code/result-text.ts'
import { openSandboxes } from './code/sandboxes.ts'
import { defineTool, type ToolContext, ToolFailed, type ToolMaker } from './tool.ts'

const Arguments = z.object({
  language: z.string().min(1).max(40).describe('javascript, python, bash or sh; javascript is always there'),
  code: z.string().min(1).max(200_000).describe('The whole program'),
  stdin: z.string().max(1_000_000).optional().describe('What the program can read; in javascript the text `stdin`'),
})
type Arguments = z.output<typeof Arguments>

/** A run takes a core; more at once would only slow down each other and the service. */
const runsMax = 2
const waitingMax = 8
const timeoutMs = 30_000
/** Of one run. */
const runMs = 20_000
/** Waiting and running together; the rest of the time is for ending what runs and reporting it. */
const budgetMs = 24_000

const description = [
  'Runs a program and returns its output, exit code and time. Use it to calculate, to transform text or data, to check code.',
  'Each run starts anew: no files, no state and usually no network. Print what you want to see;',
  'in javascript the value of the last expression is returned too, and there are no modules and no timers.',
].join(' ')

export const codeExec: ToolMaker = (dependencies) => {
  if (!dependencies.settings.get('SERVICE_CODE_EXEC')) return undefined
  const sandboxes = openSandboxes(dependencies, { path: process.env['PATH'] ?? '', threads: runsMax })
  const line = places({
    placesMax: runsMax,
    waitingMax,
    refusal: () => new ToolFailed('busy', 'too much code runs at this moment: try again later'),
  })
  const closing = new AbortController()
  const running = new Set<Promise<string>>()
  const { db } = dependencies
  if (db === undefined)
    dependencies.log.warn({}, 'code may run without entries in the audit log: the tool has no database')

  async function run(context: ToolContext, given: Arguments): Promise<string> {
    const untilMs = dependencies.clock.elapsed() + budgetMs
    const signal = AbortSignal.any([context.signal, closing.signal])
    const leave = await line.take(signal)
    try {
      const language = languageOf(given.language)
      const sandbox = await sandboxes.forLanguage(language)
      if (sandbox === undefined) throw await refused(language)
      if (db !== undefined) await auditRun(db, context, { sandbox: sandbox.name, language })
      const leftMs = Math.min(runMs, untilMs - dependencies.clock.elapsed())
      if (leftMs < 1_000) throw new ToolFailed('busy', 'other code ran for too long: try again later')
      const job = { language, code: given.code, stdin: given.stdin ?? '', timeoutMs: leftMs }
      const result = await sandbox.run(job, signal)
      const { end, exitCode, durationMs } = result
      context.log.info({ sandbox: sandbox.name, language, end, exitCode, durationMs }, 'code has run')
      return resultText(result, sandbox.name)
    } finally {
      leave()
    }
  }

  async function refused(language: string): Promise<ToolFailed> {
    const languages = [...new Set(await sandboxes.languages())].join(', ')
    const words = `${JSON.stringify(language)} is not run here: this service runs ${languages}`
    return new ToolFailed('language_refused', words)
  }

  return defineTool({
    name: 'code_exec',
    description,
    arguments: Arguments,
    timeoutMs,
    needsGrant: true,
    risk: 'host',
    idempotency: 'once',
    async run(context, given) {
      const result = run(context, given)
      running.add(result)
      try {
        return await result
      } finally {
        running.delete(result)
      }
    },
    async close() {
      closing.abort(new ToolFailed('closing', 'the service is closing'))
      await Promise.allSettled(running)
      await sandboxes.close()
    },
  })
}
