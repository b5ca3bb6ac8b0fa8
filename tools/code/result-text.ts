/** How a run ended, in the words that a model is told. */
import { constants } from 'node:os'
import type { KeptText, RunResult, SandboxName } from './sandbox.ts'

export function resultText(result: RunResult, sandbox: SandboxName): string {
  const parts = [`${ending(result)} after ${Math.round(result.durationMs)} ms (${sandbox})`]
  if (result.value !== undefined) parts.push(`value of the last expression:\n${result.value}`)
  parts.push(...output('stdout', result.stdout), ...output('stderr', result.stderr))
  return parts.join('\n\n')
}

function ending({ end, exitCode, signal }: RunResult): string {
  switch (end) {
    case 'timed_out':
      return 'ended by the time limit'
    case 'memory_limit':
      return 'ended by the memory limit'
    case 'output_limit':
      return 'ended because it wrote too much'
    case 'exited':
      if (signal !== null) return `ended by ${signal}`
      return exitCode !== null && exitCode > 128
        ? `exit code ${exitCode}${signalOf(exitCode)}`
        : `exit code ${exitCode}`
    default:
      return end satisfies never
  }
}

/** Shells and sandboxes answer 128 and the number of the signal. */
function signalOf(exitCode: number): string {
  const found = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)
  return found === undefined ? '' : ` (${found[0]})`
}

function output(name: string, { text, droppedBytes }: KeptText): string[] {
  if (text === '' && droppedBytes === 0) return []
  const note = droppedBytes > 0 ? `\n[${droppedBytes} more bytes of ${name} were dropped]` : ''
  return [`${name}:\n${text}${note}`]
}
