/** `service start`: the gateway under its parent, or alone for those who have a supervisor of their own. */
import { extname } from 'node:path'
import type { Command } from 'commander'
import { superviseGateway } from '../runtime/supervise/parent.ts'

/** Not imported here: the parent stays free of native addons. */
const gatewayEntry = new URL(`../gateway/main${extname(import.meta.url)}`, import.meta.url)

export function registerStart(program: Command): void {
  program
    .command('start')
    .description('run the service until it is told to stop')
    .option('--no-supervise', 'without the parent that restarts it after a crash, for those who have their own')
    .action(async ({ supervise }: { supervise: boolean }) => {
      if (supervise) process.exit(await superviseGateway({ entry: gatewayEntry, log: say }))
      await import(gatewayEntry.href)
    })
}

/** A line in the form of the log, whose library this process does without. */
function say(level: string, msg: string, fields: Record<string, unknown> = {}): void {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), room: 'parent', ...fields, msg })}\n`)
}
