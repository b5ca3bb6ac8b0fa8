/** `service keys create|list|revoke`: API keys from the command line. */
import type { Command } from 'commander'
import { AllowedIps } from '../http/admin/apikeys/allowed-ips.ts'
import { keyDigest, keyHint, newKeyText } from '../http/auth/key-text.ts'
import { commandName } from '../runtime/command-name.ts'
import { createApiKey, revokeApiKey } from '../store/api-keys/changes.ts'
import { listApiKeys } from '../store/api-keys/reads.ts'
import { notifyChange } from '../store/changes.ts'
import { ApiKeyId, newApiKeyId } from '../store/id.ts'
import { personalScopes, type Scope, scopes } from '../store/scopes.ts'
import { atCommandLine, workspaceOf } from './acting.ts'
import { type CommandStore, withStore } from './connect.ts'
import { CommandFailed, print, printTable, run } from './output.ts'

interface CreateOptions {
  name: string
  scope: string[]
  rpm?: string
  tpm?: string
  expires?: string
  workspace?: string
  personal?: boolean
  ip?: string[]
}

const listedMax = 1_000

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('API keys')
  keys
    .command('create')
    .description('create a key and show it once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--scope <scope...>', `what it may do: ${scopes.join(', ')}`, ['chat'])
    .option('--rpm <number>', 'maximum requests per minute')
    .option('--tpm <number>', 'maximum tokens per minute')
    .option('--expires <date>', 'when it expires: 2027-01-31, or with a time')
    .option('--workspace <id>', 'its workspace; default: the default workspace')
    .option('--ip <network...>', 'networks it may be used from, such as 192.0.2.0/24; default: all')
    .option('--personal', 'a personal key; SERVICE_PERSONAL_API_KEYS can switch these off')
    .action((options: CreateOptions) => run(() => withStore((store) => create(store, options))))
  keys
    .command('list')
    .description('list the keys of a workspace, newest first')
    .option('--workspace <id>')
    .option('--json', 'as JSON')
    .action((options: { workspace?: string; json?: boolean }) => run(() => withStore((store) => list(store, options))))
  keys
    .command('revoke <id>')
    .description('revoke a key; the running service refuses it at once')
    .option('--workspace <id>')
    .action((id: string, options: { workspace?: string }) =>
      run(() => withStore((store) => revoke(store, id, options.workspace))),
    )
}

async function create(store: CommandStore, options: CreateOptions): Promise<void> {
  const workspaceId = await workspaceOf(store, options.workspace)
  const text = newKeyText()
  const actor = atCommandLine(workspaceId)
  const key = await createApiKey(
    store.db,
    {
      id: newApiKeyId(),
      workspaceId,
      name: options.name.slice(0, 200),
      kind: options.personal ? 'personal' : 'service',
      scopes: scopesOf(options.scope, options.personal ? personalScopes : scopes),
      rateLimitRpm: rateOf('--rpm', options.rpm, 10_000_000),
      rateLimitTpm: rateOf('--tpm', options.tpm, 1_000_000_000),
      expiresAt: expiryOf(options.expires),
      allowedIps: networksOf(options.ip ?? []),
      hash: Buffer.from(keyDigest(text), 'hex'),
      hint: keyHint(text),
      createdBy: actor.name,
    },
    actor,
  )
  await notifyChange(store.db, 'api_keys')
  print(`${key.id}\n${text}`)
}

async function list(store: CommandStore, options: { workspace?: string; json?: boolean }): Promise<void> {
  const keys = await listApiKeys(store.db, await workspaceOf(store, options.workspace), {
    before: null,
    limit: listedMax + 1,
  })
  const isCut = keys.splice(listedMax).length > 0
  if (options.json) return print(JSON.stringify(keys, null, 2))
  printTable([
    ['id', 'key', 'kind', 'scopes', 'rpm', 'tpm', 'from', 'used', 'state', 'name'],
    ...keys.map((key) => [
      key.id,
      key.hint,
      key.kind,
      key.scopes.join(','),
      String(key.rateLimitRpm ?? '-'),
      String(key.rateLimitTpm ?? '-'),
      key.allowedIps.length === 0 ? '-' : key.allowedIps.join(','),
      key.usedAt?.toISOString() ?? '-',
      stateOf(key),
      key.name,
    ]),
  ])
  if (isCut) print(`only the newest ${listedMax} are listed`)
}

function stateOf(key: { revokedAt: Date | null; expiresAt: Date | null }): string {
  if (key.revokedAt) return `revoked ${key.revokedAt.toISOString()}`
  if (!key.expiresAt) return 'valid'
  return `${key.expiresAt.getTime() > Date.now() ? 'valid until' : 'expired'} ${key.expiresAt.toISOString()}`
}

async function revoke(store: CommandStore, id: string, workspace: string | undefined): Promise<void> {
  const parsed = ApiKeyId.safeParse(id)
  if (!parsed.success)
    throw new CommandFailed(`the id of a key is key_ and 32 hexadecimal digits: see ${commandName()} keys list`)
  const workspaceId = await workspaceOf(store, workspace)
  const wasValid = await revokeApiKey(store.db, workspaceId, parsed.data, atCommandLine(workspaceId))
  if (!wasValid) throw new CommandFailed(`there is no key ${id} in this workspace, or it was revoked already`)
  await notifyChange(store.db, 'api_keys')
  print(`${id} is revoked`)
}

function scopesOf(options: string[], allowed: readonly Scope[]): Scope[] {
  const named = options.flatMap((text) => text.split(',')).map((text) => text.trim())
  const unknown = named.filter((name) => !(allowed as readonly string[]).includes(name))
  if (unknown.length > 0)
    throw new CommandFailed(`there is no scope ${unknown.join(', ')}: the scopes are ${allowed.join(', ')}`)
  return named as Scope[]
}

function networksOf(options: string[]): string[] {
  const named = options.flatMap((text) => text.split(','))
  const parsed = AllowedIps.safeParse(named)
  if (!parsed.success) throw new CommandFailed(`--ip takes addresses and networks such as 192.0.2.0/24: ${named}`)
  return parsed.data
}

function rateOf(name: string, option: string | undefined, max: number): number | null {
  if (option === undefined) return null
  const rate = Number(option)
  if (!Number.isInteger(rate) || rate < 1 || rate > max)
    throw new CommandFailed(`${name} takes a whole number from 1 to ${max}`)
  return rate
}

function expiryOf(option: string | undefined): Date | null {
  if (option === undefined) return null
  const date = new Date(option)
  if (Number.isNaN(date.getTime()))
    throw new CommandFailed('--expires takes a date such as 2027-01-31 or 2027-01-31T12:00:00Z')
  if (date.getTime() <= Date.now()) throw new CommandFailed('--expires is in the past')
  return date
}
