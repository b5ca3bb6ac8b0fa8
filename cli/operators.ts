/** `service operators …`: who may sign in. From here the first operator can be created, and one who is locked out helped. */
import type { Command } from 'commander'
import { passwordProblem } from '../http/auth/common-passwords.ts'
import { Login } from '../http/auth/login-name.ts'
import { passwords } from '../http/auth/passwords.ts'
import { type Role, roles } from '../http/auth/permissions.ts'
import { commandName } from '../runtime/command-name.ts'
import { createLog } from '../runtime/log/log.ts'
import { systemClock } from '../runtime/time/clock.ts'
import type { AuditActor } from '../store/audit/audit.ts'
import { notifyChange } from '../store/changes.ts'
import type { OperatorId } from '../store/id.ts'
import { changeOperator, resetFactors, resetPassword } from '../store/operators/changes.ts'
import {
  countOperators,
  createOperator,
  findCredentials,
  listOperators,
  type Operator,
} from '../store/operators/operators.ts'
import { type HashTask, hashPool } from '../workers/hash.task.ts'
import { atCommandLine, workspaceOf } from './acting.ts'
import { type CommandStore, withStore } from './connect.ts'
import { newPassword } from './new-password.ts'
import { CommandFailed, print, printTable, run } from './output.ts'
import { readPassword } from './password-input.ts'

interface CreateOptions {
  login: string
  name: string
  role?: string
  workspace?: string
  generate?: boolean
}

const listedMax = 1_000
const generateOption = ['--generate', 'generate a password and show it once, instead of asking for one'] as const

/** Access to the machine allows everything. */
const permitAll = (): void => {}

export function registerOperators(program: Command): void {
  const operators = program.command('operators').description('who may sign in to the control plane')
  operators
    .command('create')
    .description('create an operator; the password is prompted for, or read from standard input')
    .requiredOption('--login <login>', 'the name to sign in with')
    .option('--name <name>', 'the name of the person', '')
    .option('--role <role>', `${roles.join(', ')}; the first operator is an owner`)
    .option('--workspace <id>', 'where the role applies; default: the default workspace')
    .option(...generateOption)
    .action((options: CreateOptions) => run(() => create(options)))
  operators
    .command('list')
    .description('list all operators with their roles')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => run(() => withStore((store) => list(store, options.json ?? false))))
  for (const [name, isDisabled, description] of [
    ['disable', true, 'end all sessions and keys of an operator and refuse further sign-ins'],
    ['enable', false, 'let a disabled operator sign in again'],
  ] as const)
    operators
      .command(`${name} <login>`)
      .description(description)
      .action((login: string) => run(() => setDisabled(login, isDisabled)))
  operators
    .command('reset-password <login>')
    .description('set a new password, prompted for or read from standard input; all sessions end')
    .option(...generateOption)
    .action((login: string, options: { generate?: boolean }) => run(() => newPasswordFor(login, options)))
  operators
    .command('reset-factors <login>')
    .description('remove authenticator, recovery codes and passkeys; all sessions end')
    .action((login: string) => run(() => removeFactors(login)))
}

async function create(options: CreateOptions): Promise<void> {
  const login = Login.safeParse(options.login)
  if (!login.success) throw new CommandFailed(`--login ${login.error.issues[0]?.message ?? 'is not allowed'}`)
  if (options.name.length > 200) throw new CommandFailed('--name takes 200 characters at most')
  const requestedRole = roleOf(options.role)
  const password = await passwordOf(options, login.data)
  await withStore(async (store) => {
    const isFirst = (await countOperators(store.db)) === 0
    const role = requestedRole ?? (isFirst ? 'owner' : undefined)
    if (isFirst && role !== 'owner') throw new CommandFailed('the first operator is an owner')
    if (role === undefined) throw new CommandFailed(`--role is missing: ${roles.join(', ')}`)
    const actor = atCommandLine(await workspaceOf(store, options.workspace))
    const operator = { login: login.data, name: options.name.trim(), role, passwordHash: await hash(password) }
    const id = await createOperator(store.db, operator, actor, { isFirst })
    await broadcastChange(store)
    print(id)
    if (options.generate) print(password)
  })
}

async function list({ db }: CommandStore, isJson: boolean): Promise<void> {
  const found = await listOperators(db, null, { after: null, limit: listedMax + 1 })
  const isCut = found.splice(listedMax).length > 0
  if (isJson) return print(JSON.stringify(found, null, 2))
  printTable([
    ['id', 'login', 'state', 'factors', 'signed in', 'roles', 'name'],
    ...found.map((operator) => [
      operator.id,
      operator.login,
      operator.isDisabled ? 'disabled' : 'enabled',
      factorsOf(operator),
      operator.signedInAt?.toISOString() ?? '-',
      operator.roles.map(({ workspaceId, role }) => `${role} in ${workspaceId}`).join(', ') || '-',
      operator.name,
    ]),
  ])
  if (isCut) print(`only the first ${listedMax} are listed`)
}

function factorsOf({ hasPassword, hasTotp, passkeys }: Operator): string {
  const names = [hasPassword && 'password', hasTotp && 'totp', passkeys > 0 && `${passkeys} passkeys`]
  return names.filter((name) => name !== false).join('+') || '-'
}

async function setDisabled(login: string, isDisabled: boolean): Promise<void> {
  await onOperator(login, async ({ db }, id, actor) => {
    if (!(await changeOperator(db, id, { isDisabled }, actor, permitAll))) throw gone(login)
    print(`${login} is ${isDisabled ? 'disabled' : 'enabled'}`)
  })
}

async function newPasswordFor(login: string, options: { generate?: boolean }): Promise<void> {
  const password = await passwordOf(options, login)
  await onOperator(login, async ({ db }, id, actor) => {
    if (!(await resetPassword(db, id, await hash(password), actor, permitAll))) throw gone(login)
    print(options.generate ? password : `${login} has a new password`)
  })
}

async function removeFactors(login: string): Promise<void> {
  await onOperator(login, async ({ db }, id, actor) => {
    if (!(await resetFactors(db, id, actor, permitAll))) throw gone(login)
    print(`${login} signs in with the password only`)
  })
}

/** @throws CommandFailed where there is no such operator */
async function onOperator(
  login: string,
  work: (store: CommandStore, id: OperatorId, actor: AuditActor) => Promise<void>,
): Promise<void> {
  await withStore(async (store) => {
    const operator = await findCredentials(store.db, login)
    if (!operator) throw gone(login)
    await work(store, operator.id, atCommandLine(await workspaceOf(store, undefined)))
    await broadcastChange(store)
  })
}

/** Also where the operator was deleted after the look-up: nothing was changed. */
const gone = (login: string): CommandFailed =>
  new CommandFailed(`there is no operator ${login}: see ${commandName()} operators list`)

/** A running service applies the change at once. One that waits for its first operator voids the setup code. */
async function broadcastChange({ db }: CommandStore): Promise<void> {
  await notifyChange(db, 'sessions')
  await notifyChange(db, 'api_keys')
}

async function passwordOf({ generate }: { generate?: boolean }, login: string): Promise<string> {
  if (generate) return newPassword()
  const password = await readPassword()
  const problem = passwordProblem(password, login)
  if (problem !== undefined) throw new CommandFailed(`the password ${problem}`)
  return password
}

async function hash(password: string): Promise<string> {
  // Loaded only here: the pool's library and that of its metrics take a while, and most commands hash nothing.
  const [{ createPool }, { createMetrics }] = await Promise.all([
    import('../runtime/pool/pool.ts'),
    import('../runtime/telemetry/metrics.ts'),
  ])
  const pool = createPool<HashTask, string | boolean>({
    ...hashPool,
    clock: systemClock,
    log: createLog({ level: 'error' }),
    metrics: createMetrics(),
  })
  try {
    return await passwords(pool).hash(password)
  } finally {
    await pool.close()
  }
}

function roleOf(option: string | undefined): Role | undefined {
  if (option === undefined) return undefined
  const role = roles.find((each) => each === option)
  if (!role) throw new CommandFailed(`there is no role ${option}: the roles are ${roles.join(', ')}`)
  return role
}
