/** `service secrets list|set|remove`: secrets by scope and name. Values are read from standard input and never shown. */
import type { Command } from 'commander'
import { z } from 'zod'
import { firstWorkspaceId } from '../store/id.ts'
import {
  listSecrets,
  removeSecret,
  SecretName,
  SecretScope,
  SecretValue,
  secretLimits,
  setSecret,
} from '../store/secrets.ts'
import { atCommandLine } from './acting.ts'
import { withStore } from './connect.ts'
import { CommandFailed, print, printTable, run } from './output.ts'
import { standardInput } from './standard-input.ts'

export function registerSecrets(program: Command): void {
  const secrets = program.command('secrets').description('list, set and remove secrets')
  secrets
    .command('list')
    .description('list every secret: when it was set and by whom, never its value')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => run(() => list(options.json ?? false)))
  secrets
    .command('set <scope> <name>')
    .description('store or replace a secret; its value is read from standard input')
    .action((scope: string, name: string) => run(() => set(scope, name)))
  secrets
    .command('remove <scope> <name>')
    .description('remove a secret')
    .action((scope: string, name: string) => run(() => remove(scope, name)))
}

/** Secrets are the installation's: what is done to them from outside of any workspace stands in the first one's log. */
const actor = atCommandLine(firstWorkspaceId)

const SecretId = z.object({ scope: SecretScope, name: SecretName })

async function list(isJson: boolean): Promise<void> {
  const secrets = await withStore(({ db }) => listSecrets(db))
  if (isJson) return print(JSON.stringify(secrets, null, 2))
  if (secrets.length === 0) return print('there are no secrets')
  printTable(
    secrets.map(({ scope, name, updatedAt, updatedBy }) => [`${scope}/${name}`, updatedAt.toISOString(), updatedBy]),
  )
}

async function set(scope: string, name: string): Promise<void> {
  const id = valid(SecretId, { scope, name })
  const value = valid(SecretValue, await standardInput(secretLimits.valueBytesMax + 2))
  await withStore(({ db, masterKey }) => setSecret(db, masterKey, { id, value, actor }))
  print(`${scope}/${name} is stored, and applies at once`)
}

async function remove(scope: string, name: string): Promise<void> {
  const id = valid(SecretId, { scope, name })
  const wasThere = await withStore(({ db }) => removeSecret(db, id, actor))
  if (!wasThere) throw new CommandFailed(`there is no secret ${scope}/${name}`)
  print(`${scope}/${name} is removed`)
}

/** @throws CommandFailed, with what is wrong */
function valid<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new CommandFailed(parsed.error.issues.map((issue) => issue.message).join('; '))
}
