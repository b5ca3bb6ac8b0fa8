/** Creating and changing channels. The adapter checks the configuration before it is stored. */
import { z } from 'zod'
import type { ChannelAdapter } from '../../../actors/channel/adapter.ts'
import { adapters } from '../../../actors/channel/adapters.ts'
import { ChannelPolicy } from '../../../actors/channel/policy.ts'
import { notifyChange } from '../../../store/changes.ts'
import { createChannel, updateChannel } from '../../../store/channels.ts'
import { admin } from '../../access.ts'
import { reply } from '../../answer.ts'
import type { App } from '../../app.ts'
import { badRequest, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { ChannelName, ChannelParams, channelOf } from './of-workspace.ts'
import { ChannelView, viewsOf } from './view.ts'

const Config = z.record(z.string(), z.unknown())
const Secrets = z.record(z.string(), z.string().max(4_000).nullable())

const Changes = z.strictObject({
  config: Config.optional().describe('Replaces the whole configuration of the adapter.'),
  policy: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Changes the given fields; the answer has all of them.'),
  secrets: Secrets.optional().describe('Changes the given ones; null removes one.'),
  is_enabled: z.boolean().optional(),
  is_paused: z.boolean().optional().describe('Messages are accepted and wait; none is answered.'),
})

export const createChannelRoute = route({
  method: 'POST',
  path: '/v1/admin/channels',
  summary: 'Create a channel',
  tag: 'channels',
  access: admin('channels.write'),
  body: Changes.extend({ name: ChannelName, adapter: z.enum([...adapters.keys()]) }),
  answers: { 201: ChannelView },
  async handle(call) {
    const { app, body, principal } = call
    const adapter = findAdapter(body.adapter)
    const configured = {
      config: body.config ?? {},
      policy: body.policy ?? {},
      secrets: mergeSecrets({}, body.secrets),
      isEnabled: body.is_enabled ?? true,
      isPaused: body.is_paused ?? false,
    }
    const { isEnabled, isPaused } = configured
    const stored = { ...checkConfiguration(app, adapter, body.name, configured), isEnabled, isPaused }
    const audit = {
      actor: auditActor(call),
      after: auditDetail(configured, body.secrets),
      summary: { after: { adapter: adapter.name, ...auditSummary(configured, body.secrets) } },
    }
    const channel = { name: body.name, adapter: adapter.name, ...stored }
    const made = await createChannel(app.db, principal.workspaceId, channel, audit)
    return reply(201, await refreshedView(app, made.name))
  },
})

export const changeChannel = route({
  method: 'PATCH',
  path: '/v1/admin/channels/:name',
  summary: 'Change a channel',
  tag: 'channels',
  access: admin('channels.write'),
  params: ChannelParams,
  body: Changes,
  answers: { 200: ChannelView },
  async handle(call) {
    const { app, body, params, principal } = call
    const channel = await channelOf(app, principal, params.name)
    const before = {
      config: channel.config as Record<string, unknown>,
      policy: channel.policy,
      secrets: channel.secrets as Record<string, string>,
      isEnabled: channel.isEnabled,
      isPaused: channel.isPaused,
    }
    const after = {
      config: body.config ?? before.config,
      policy: { ...before.policy, ...body.policy },
      secrets: mergeSecrets(before.secrets, body.secrets),
      isEnabled: body.is_enabled ?? before.isEnabled,
      isPaused: body.is_paused ?? before.isPaused,
    }
    const { isEnabled, isPaused } = after
    const stored = { ...checkConfiguration(app, channel.adapter, channel.name, after), isEnabled, isPaused }
    const audit = {
      actor: auditActor(call),
      before: auditDetail(before),
      after: auditDetail(after, body.secrets),
      summary: { before: auditSummary(before), after: auditSummary(after, body.secrets) },
    }
    const changed = await updateChannel(app.db, principal.workspaceId, channel.id, stored, audit)
    if (!changed) throw notFound(`There is no channel ${JSON.stringify(params.name)}.`)
    return await refreshedView(app, changed.name)
  },
})

function findAdapter(name: string): ChannelAdapter {
  const adapter = adapters.get(name)
  if (!adapter) throw badRequest(`There is no adapter ${name}.`, 'adapter')
  return adapter
}

function mergeSecrets(before: Record<string, string>, changes: z.infer<typeof Secrets> = {}): Record<string, string> {
  const after = { ...before, ...changes }
  return Object.fromEntries(Object.entries(after).filter((entry): entry is [string, string] => entry[1] !== null))
}

interface ChannelConfiguration {
  config: Record<string, unknown>
  policy: Record<string, unknown>
  secrets: Record<string, string>
  isEnabled: boolean
  isPaused: boolean
}

/** What is hashed into the audit log: of secrets only their names, and the names of those that were set or removed. */
function auditDetail({ secrets, ...open }: ChannelConfiguration, changedSecrets: object = {}): object {
  return { ...open, secrets: Object.keys(secrets).sort(), changedSecrets: Object.keys(changedSecrets).sort() }
}

/** What is readable in the audit log: also of the configuration only the names, because an address may contain a secret. */
function auditSummary(
  { config, secrets, isEnabled, isPaused }: ChannelConfiguration,
  changedSecrets: object = {},
): object {
  const names = { config: Object.keys(config).sort(), secrets: Object.keys(secrets).sort() }
  return { isEnabled, isPaused, ...names, changedSecrets: Object.keys(changedSecrets).sort() }
}

function checkConfiguration(
  app: App,
  adapter: ChannelAdapter,
  name: string,
  { config, policy, secrets }: ChannelConfiguration,
) {
  refuse(ChannelPolicy.safeParse(policy), 'policy')
  refuse(adapter.config.safeParse(config), 'config')
  refuse(adapter.secrets.safeParse(secrets), 'secrets')
  return {
    config: { ...config, policy: ChannelPolicy.parse(policy) },
    secrets: app.services.channels.seal(name, secrets),
  }
}

/** The error has the field and what is allowed, never the value, which may be a secret. */
function refuse(result: z.ZodSafeParseResult<unknown>, part: string): void {
  if (result.success) return
  const [issue] = result.error.issues
  const field = [part, ...(issue?.path ?? [])].join('.')
  throw badRequest(`${field}: ${issue?.message ?? 'is not allowed'}`, field)
}

/** Notifies other processes, and refreshes this one before it answers, so that the channel can be used at once. */
async function refreshedView(app: App, name: string): Promise<object> {
  const { channels } = app.services
  await notifyChange(app.db, 'channels')
  await channels.refresh()
  const channel = channels.byName(name)
  if (!channel) throw new Error(`the channel ${name} was stored and cannot be read`)
  const [view] = await viewsOf(app, [channel])
  return view as object
}
