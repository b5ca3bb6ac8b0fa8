/** `service budgets list|set|remove|import|export`: how much may be spent, from the command line. */
import type { Command } from 'commander'
import { BudgetsBody, budgetView, exportedBudget, NewBudgetBody, newBudget } from '../http/admin/usage/budget-body.ts'
import { commandName } from '../runtime/command-name.ts'
import { BudgetId } from '../store/id.ts'
import { budgetSubjects, listBudgets, removeBudget, setBudget } from '../store/usage/budgets.ts'
import { readPrices } from '../store/usage/prices.ts'
import { atCommandLine, workspaceOf } from './acting.ts'
import { type CommandStore, withStore } from './connect.ts'
import { parsed, typedJson } from './json-input.ts'
import { CommandFailed, print, printTable, run } from './output.ts'

interface Of {
  workspace?: string
}

interface SetOptions extends Of {
  value: string
  period: string
  currency?: string
  soft?: string
  hard?: string
}

const inputBytesMax = 1_048_576

export function registerBudgets(program: Command): void {
  const budgets = program.command('budgets').description('how much may be spent in a day or a month')
  const command = (name: string, about: string) =>
    budgets.command(name).description(about).option('--workspace <id>', 'default: the default workspace')
  command('list', 'list the budgets, with what is spent of them')
    .option('--json', 'as JSON')
    .action((options: Of & { json?: boolean }) => run(() => withStore((store) => list(store, options))))
  command('set <subject>', `make or change a budget of ${budgetSubjects.join(', ')}`)
    .option('--value <value>', 'the id of a key or operator, the name of an agent, an origin', '')
    .requiredOption('--period <period>', 'day or month, in UTC')
    .option('--currency <code>', 'limits are millionths of it; default: limits are tokens')
    .option('--soft <number>', 'from here on operators are told')
    .option('--hard <number>', 'from here on calls are refused')
    .action((subject: string, options: SetOptions) => run(() => withStore((store) => set(store, subject, options))))
  command('remove <id>', 'remove a budget').action((id: string, options: Of) =>
    run(() => withStore((store) => remove(store, id, options))),
  )
  command('export', 'print all budgets as JSON that import takes').action((options: Of) =>
    run(() => withStore((store) => exportAll(store, options))),
  )
  command('import [file]', 'make or change budgets from JSON; from standard input without a file').action(
    (file: string | undefined, options: Of) => run(() => withStore((store) => importAll(store, file, options))),
  )
}

async function list(store: CommandStore, { workspace, json }: Of & { json?: boolean }): Promise<void> {
  const budgets = (await listBudgets(store.db, await workspaceOf(store, workspace))).map(budgetView)
  if (json) return print(JSON.stringify(budgets, null, 2))
  printTable([
    ['id', 'subject', 'value', 'period', 'in', 'spent', 'soft', 'hard', 'state'],
    ...budgets.map(({ id, subject, value, period, unit, currency, spent, soft_limit, hard_limit, state }) => [
      ...[id, subject, value ?? '-', period, unit === 'tokens' ? 'tokens' : `millionths of ${currency}`, spent],
      ...[String(soft_limit ?? '-'), String(hard_limit ?? '-'), state],
    ]),
  ])
}

async function set(store: CommandStore, subject: string, options: SetOptions): Promise<void> {
  const { value, period, currency, workspace } = options
  const body = {
    ...{ subject, value, period, unit: currency === undefined ? 'tokens' : 'micro_units', currency },
    ...{ soft_limit: limitOf('--soft', options.soft), hard_limit: limitOf('--hard', options.hard) },
  }
  const [id] = await setAll(store, [body], workspace)
  print(String(id))
}

async function remove(store: CommandStore, id: string, { workspace }: Of): Promise<void> {
  const budget = BudgetId.safeParse(id)
  if (!budget.success)
    throw new CommandFailed(`the id of a budget is bud_ and 32 hexadecimal digits: see ${commandName()} budgets list`)
  const actor = atCommandLine(await workspaceOf(store, workspace))
  if (!(await removeBudget(store.db, budget.data, actor)))
    throw new CommandFailed(`there is no budget ${id} in this workspace`)
  print(`${id} is removed`)
}

async function exportAll(store: CommandStore, { workspace }: Of): Promise<void> {
  const budgets = await listBudgets(store.db, await workspaceOf(store, workspace))
  print(JSON.stringify({ budgets: budgets.map(exportedBudget) }, null, 2))
}

async function importAll(store: CommandStore, file: string | undefined, { workspace }: Of): Promise<void> {
  const { budgets } = parsed(BudgetsBody, await typedJson(file, inputBytesMax))
  const ids = await setAll(store, budgets, workspace)
  print(`${ids.length} budgets are set`)
}

/** None is set unless each can be. */
async function setAll(store: CommandStore, bodies: readonly unknown[], workspace: string | undefined) {
  const [price] = await readPrices(store.db)
  const budgets = bodies.map((body) => newBudget(parsed(NewBudgetBody, body), price?.currency))
  const actor = atCommandLine(await workspaceOf(store, workspace))
  const ids: BudgetId[] = []
  for (const budget of budgets) ids.push(await setBudget(store.db, budget, actor))
  return ids
}

function limitOf(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,16}$/.test(text)) throw new CommandFailed(`${name} takes a whole number, not ${text}`)
  return Number(text)
}
