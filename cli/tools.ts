/** `service tools grants|grant`: which tools that reach the installation's own each workspace may use. */
import type { Command } from 'commander'
import { ToolName } from '../actors/agent/directory/definition.ts'
import { notifyAgentsChanged } from '../store/agents.ts'
import { firstWorkspaceId } from '../store/id.ts'
import { listToolGrants, setToolGrants, toolGrantsMax } from '../store/workspaces.ts'
import { atCommandLine, parseWorkspaceId } from './acting.ts'
import { withStore } from './connect.ts'
import { CommandFailed, print, printTable, run } from './output.ts'

export function registerTools(program: Command): void {
  const tools = program.command('tools').description('which tools each workspace may use')
  tools
    .command('grants')
    .description('list every workspace with the tools granted to it; the default one has all')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => run(() => list(options.json ?? false)))
  tools
    .command('grant <workspace> [names...]')
    .description(
      'grant a workspace these tools in place of those it had (name* for all that begin so); none: take all away',
    )
    .action((workspace: string, names: string[]) => run(() => grant(workspace, names)))
}

async function list(isJson: boolean): Promise<void> {
  const grants = await withStore(({ db }) => listToolGrants(db))
  if (isJson) return print(JSON.stringify(grants, null, 2))
  printTable(grants.map(({ id, name, tools }) => [id, name, tools.join(', ') || '-']))
}

async function grant(id: string, names: string[]): Promise<void> {
  const workspace = parseWorkspaceId(id)
  const tools = [...new Set(names)]
  const wrong = tools.find((name) => !ToolName.safeParse(name).success)
  if (wrong !== undefined)
    throw new CommandFailed(`${wrong} is not the name of a tool, nor the beginning of one with *`)
  if (tools.length > toolGrantsMax) throw new CommandFailed(`at most ${toolGrantsMax} names`)
  await withStore(async ({ db }) => {
    if (!(await setToolGrants(db, { workspace, tools }, atCommandLine(firstWorkspaceId))))
      throw new CommandFailed(`there is no workspace ${id}`)
    await notifyAgentsChanged(db)
  })
  print(tools.length > 0 ? `${id} may use ${tools.join(', ')}` : `${id} may use no tool that needs a grant`)
}
