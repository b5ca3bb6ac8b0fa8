/** `service nodes` and `service drain`: the processes of the service on this database. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { leaseMs } from '../runtime/nodes/leases.ts'
import { minutes } from '../runtime/time/duration.ts'
import { firstWorkspaceId } from '../store/id.ts'
import { askToDrain, type ListedNode, listNodes } from '../store/nodes/nodes.ts'
import { atCommandLine } from './acting.ts'
import { type CommandStore, withStore } from './connect.ts'
import { CommandFailed, print, printTable, run } from './output.ts'

/** How long `--wait` waits. */
const waitMaxMs = minutes(15)
const lookMs = 250

export function registerNodes(program: Command): void {
  program
    .command('nodes')
    .description('list the processes on this database: those that live, and those that have gone within a day')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => run(() => list(options.json ?? false)))
}

export function registerDrain(program: Command): void {
  program
    .command('drain <node>')
    .description('let a node hand over what is its own, and end')
    .option('--wait', 'until it has ended, at most 15 minutes')
    .action((node: string, options: { wait?: boolean }) =>
      run(() => withStore((store) => drain(store, node, options.wait ?? false))),
    )
}

async function list(isJson: boolean): Promise<void> {
  const nodes = await withStore(({ db }) => listNodes(db, leaseMs))
  if (isJson) return print(JSON.stringify(nodes, null, 2))
  if (nodes.length === 0) return print('no node has run within a day')
  printTable([
    ['node', 'state', 'host', 'pid', 'version', 'slots', 'silent', 'started'],
    ...nodes.map(({ epoch, state, host, pid, version, slots, silentMs, startedAt }) => [
      ...[String(epoch), state, host ?? '-', String(pid), version, String(slots)],
      ...[`${(silentMs / 1_000).toFixed(1)} s`, startedAt.toISOString()],
    ]),
  ])
}

async function drain(store: CommandStore, text: string, isWaiting: boolean): Promise<void> {
  const epoch = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  const isAsked = epoch > 0 && (await askToDrain(store.db, epoch, atCommandLine(firstWorkspaceId)))
  if (!isAsked) throw new CommandFailed(`no node ${text} lives; "nodes" lists them`)
  print(`node ${epoch} drains`)
  if (isWaiting) print(`node ${epoch} has ended: ${await endOf(store, epoch)}`)
}

/** @throws CommandFailed after `waitMaxMs` */
async function endOf(store: CommandStore, epoch: number): Promise<ListedNode['state']> {
  for (let waitedMs = 0; waitedMs < waitMaxMs; waitedMs += lookMs) {
    const state = (await listNodes(store.db, leaseMs)).find((node) => node.epoch === epoch)?.state ?? 'stopped'
    if (state === 'stopped' || state === 'lost') return state
    await wait(lookMs)
  }
  throw new CommandFailed(`node ${epoch} has not ended within 15 minutes: its turns still run`)
}
