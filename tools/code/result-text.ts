/** The result of a run as the text that the model reads. */
import { constants } from 'node:os'
import type { CappedText } from '../../runtime/process/capped-output.ts'
import type { CodeResult, SandboxName } from './sandbox.ts'

export function resultText(result: CodeResult, sandbox: SandboxName): string {
  const parts = [`${endText(result)} after ${Math.round(result.durationMs)} ms (${sandbox})`]
  if (result.value !== undefined) parts.push(`value of the last expression:\n${result.value}`)
  parts.push(...outputText('stdout', result.stdout), ...outputText('stderr', result.stderr))
  return parts.join('\n\n')
}

function endText({ end, exitCode, signal }: CodeResult): string {
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
        ? `exit code ${exitCode}${signalName(exitCode)}`
        : `exit code ${exitCode}`
    default:
      return end satisfies never
  }
}

/** Shells and sandboxes return 128 plus the number of the signal. */
function signalName(exitCode: number): string {
  const entry = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)
  return entry === undefined ? '' : ` (${entry[0]})`
}

function outputText(name: string, { text, droppedBytes }: CappedText): string[] {
  if (text === '' && droppedBytes === 0) return []
  const note = droppedBytes > 0 ? `\n[${droppedBytes} more bytes of ${name} were dropped]` : ''
  return [`${name}:\n${text}${note}`]
}
