/** `service audit verify`: whether the audit log still says what was written into it. */
import type { Command } from 'commander'
import { type AuditVerdict, auditedWorkspaces, verifyAudit } from '../store/audit/chain.ts'
import { WorkspaceId } from '../store/id.ts'
import { workspaceExists } from '../store/workspaces.ts'
import { type CommandStore, withStore } from './connect.ts'
import { CommandFailed, print, printTable, run } from './output.ts'

interface VerifyOptions {
  workspace?: string
  json?: boolean
}

export function registerAudit(program: Command): void {
  const audit = program.command('audit').description('the log of who changed what')
  audit
    .command('verify')
    .description('make every hash of the log anew; exit code 1 where an entry was changed, removed or put in')
    .option('--workspace <id>', 'its workspace; all of them where none is named')
    .option('--json', 'as JSON')
    .action((options: VerifyOptions) => run(() => withStore((store) => verify(store, options))))
}

/** @throws CommandFailed when a chain is broken, which makes the exit code 1 */
async function verify(store: CommandStore, options: VerifyOptions): Promise<void> {
  const workspaces =
    options.workspace === undefined ? await auditedWorkspaces(store.db) : [await known(store, options.workspace)]
  const verdicts: AuditVerdict[] = []
  for (const workspace of workspaces) verdicts.push(await verifyAudit(store.db, workspace))
  if (options.json) print(JSON.stringify(verdicts, null, 2))
  else show(verdicts)
  const broken = verdicts.filter(({ problem }) => problem !== null)
  if (broken.length > 0) throw new CommandFailed(`the audit log of ${broken.length} workspaces is broken`)
}

function show(verdicts: readonly AuditVerdict[]): void {
  if (verdicts.length === 0) {
    print('the audit log is empty')
    return
  }
  printTable([
    ['workspace', 'entries', 'newest', 'hash of the newest', 'state'],
    ...verdicts.map((verdict) => [
      verdict.workspaceId,
      String(verdict.rows),
      String(verdict.headSeq),
      verdict.headHash,
      stateOf(verdict),
    ]),
  ])
}

function stateOf({ problem, deleted }: AuditVerdict): string {
  const retention = deleted ? `; deleted by retention up to ${deleted.upToSeq} (${deleted.at.toISOString()})` : ''
  return `${problem ? `BROKEN at ${problem.seq}: ${problem.message}` : 'whole'}${retention}`
}

async function known(store: CommandStore, named: string): Promise<WorkspaceId> {
  const parsed = WorkspaceId.safeParse(named)
  if (!parsed.success) throw new CommandFailed('the id of a workspace is ws_ and 32 hexadecimal digits')
  // One that was deleted may still have a log.
  const isKnown = (await auditedWorkspaces(store.db)).includes(parsed.data)
  if (!isKnown && !(await workspaceExists(store.db, parsed.data)))
    throw new CommandFailed(`there is no workspace ${named}`)
  return parsed.data
}
