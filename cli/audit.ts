/** `service audit verify`: checks that the audit log was not changed. */
import type { Command } from 'commander'
import { type AuditVerdict, auditedWorkspaces, verifyAudit } from '../store/audit/chain.ts'
import type { WorkspaceId } from '../store/id.ts'
import { workspaceExists } from '../store/workspaces.ts'
import { parseWorkspaceId } from './acting.ts'
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
    .description('recompute every hash of the log; exit code 1 if an entry was changed, removed or inserted')
    .option('--workspace <id>', 'only this workspace; default: all')
    .option('--json', 'as JSON')
    .action((options: VerifyOptions) => run(() => withStore((store) => verify(store, options))))
}

/** @throws CommandFailed when a chain is broken, which makes the exit code 1 */
async function verify(store: CommandStore, options: VerifyOptions): Promise<void> {
  const workspaces =
    options.workspace === undefined
      ? await auditedWorkspaces(store.db)
      : [await auditedWorkspace(store, options.workspace)]
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

/** A deleted workspace may still have a log. @throws CommandFailed */
async function auditedWorkspace(store: CommandStore, id: string): Promise<WorkspaceId> {
  const workspace = parseWorkspaceId(id)
  const hasLog = (await auditedWorkspaces(store.db)).includes(workspace)
  if (!hasLog && !(await workspaceExists(store.db, workspace))) throw new CommandFailed(`there is no workspace ${id}`)
  return workspace
}
