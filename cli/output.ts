/** What commands print, and how they fail: one clear line, and an exit code. */

import { hold } from '../gateway/hold.ts'
import { Failure } from '../runtime/failure.ts'

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Columns as wide as their widest cell; the last one as it is. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, at) => Math.max(known[at] ?? 0, cell.length)), [])
  for (const row of rows) {
    print(row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '))
  }
}

/** A mistake of the caller's: the line is all there is to say. */
export class CommandFailed extends Failure {
  readonly code = 'command_failed'
}

/** Runs a command's work; what fails becomes a line on standard error and exit code 1. */
export async function run(work: () => Promise<void>): Promise<void> {
  const letGo = hold()
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  } finally {
    letGo()
  }
}
