/** What commands print, and how they fail: with one clear line and an exit code. */
import { hold } from '../gateway/hold.ts'
import { Failure } from '../runtime/failure.ts'

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Pads all columns but the last to their widest cell. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows.reduce<number[]>((max, row) => row.map((cell, at) => Math.max(max[at] ?? 0, cell.length)), [])
  for (const row of rows) {
    print(row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join('  '))
  }
}

/** The user's mistake: its message is printed without a stack. */
export class CommandFailed extends Failure {
  readonly code = 'command_failed'
}

/** Runs a command's work. An error becomes a line on standard error and exit code 1. */
export async function run(work: () => Promise<void>): Promise<void> {
  const release = hold()
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  } finally {
    release()
  }
}
