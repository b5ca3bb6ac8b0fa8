/** `service start`: the gateway under its parent process, or alone under another supervisor. */
import { extname } from 'node:path'
import type { Command } from 'commander'
import { exitCode } from '../runtime/supervise/exit-code.ts'
import { superviseGateway } from '../runtime/supervise/parent.ts'

/** Not imported here: the parent stays free of native addons. */
const gatewayEntry = new URL(`../gateway/main${extname(import.meta.url)}`, import.meta.url)

const severalNeedParent =
  'error: --no-supervise runs one process: unset SERVICE_GATEWAY_PROCESSES, or start without --no-supervise'

export function registerStart(program: Command): void {
  program
    .command('start')
    .description('run the service until it is stopped')
    .option('--no-supervise', 'without the parent process that restarts it after a crash')
    .action(async ({ supervise }: { supervise: boolean }, command: Command) => {
      const isOne = ['', '1'].includes(process.env['SERVICE_GATEWAY_PROCESSES'] ?? '')
      if (supervise && isOne) process.exit(await superviseGateway({ entry: gatewayEntry, log: logLine }))
      if (supervise) {
        const { superviseGateways } = await import('../gateway/parent.ts')
        process.exit(await superviseGateways(process.env, gatewayEntry))
      }
      if (!isOne) command.error(severalNeedParent, { exitCode: exitCode.configuration })
      await import(gatewayEntry.href)
    })
}

/** A line in the format of the log, without its library. */
function logLine(level: string, msg: string, fields: Record<string, unknown> = {}): void {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), room: 'parent', ...fields, msg })}\n`)
}
