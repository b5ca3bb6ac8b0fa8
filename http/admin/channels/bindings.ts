/** Who may write to a channel: senders that are bound to a role. */
import { z } from 'zod'
import { bindSender, listBindings, unbindSender } from '../../../store/channels.ts'
import { admin } from '../../access.ts'
import { reply } from '../../answer.ts'
import { notFound } from '../../error.ts'
import { SenderId } from '../../inbound/envelope.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { ChannelParams, channelOf } from './of-workspace.ts'

const path = '/v1/admin/channels/:name/bindings'

/** Of a binding that may be older than the rules of SenderId. */
const StoredSenderId = z.string().min(1).max(255)
const Role = z.string().trim().min(1).max(64)
const Name = z.string().trim().min(1).max(255)

const BindingView = z.object({
  external_id: z.string(),
  role: z.string(),
  name: z.string().nullable(),
  created_at: z.iso.datetime(),
  created_by: z.string(),
})

export const bind = route({
  method: 'POST',
  path,
  summary: 'Bind a sender to a role',
  description: 'From then on messages of this sender are accepted. For a bound sender, changes role and name.',
  tag: 'channels',
  access: admin('channels.write'),
  params: ChannelParams,
  body: z.strictObject({ external_id: SenderId, role: Role.default('user'), name: Name.nullable().default(null) }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, body, params, principal } = call
    const channel = await channelOf(app, principal, params.name)
    const { external_id: externalId, role, name } = body
    const createdBy = principal.keyId ?? principal.kind
    await bindSender(app.db, principal.workspaceId, channel.id, { externalId, role, name, createdBy }, auditActor(call))
    return { ok: true }
  },
})

export const unbind = route({
  method: 'DELETE',
  path: `${path}/:external_id`,
  summary: 'Unbind a sender',
  tag: 'channels',
  access: admin('channels.write'),
  params: ChannelParams.extend({ external_id: StoredSenderId }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { app, params, principal } = call
    const channel = await channelOf(app, principal, params.name)
    if (!(await unbindSender(app.db, principal.workspaceId, channel.id, params.external_id, auditActor(call))))
      throw notFound('This sender is not bound.')
    return reply(200, { ok: true })
  },
})

export const bindings = route({
  method: 'GET',
  path,
  summary: 'List the bound senders',
  tag: 'channels',
  access: admin('channels.read'),
  params: ChannelParams,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(1_000).default(100),
    cursor: z.string().max(255).default(''),
    external_id: z.string().max(255).optional().describe('Only this sender.'),
  }),
  answers: { 200: z.object({ items: z.array(BindingView), next_cursor: z.string().nullable() }) },
  async handle({ app, params, query, principal }) {
    const channel = await channelOf(app, principal, params.name)
    const page = { after: query.cursor, limit: query.limit + 1 }
    const rows = await listBindings(app.db, principal.workspaceId, channel.id, page, query.external_id)
    const items = rows.slice(0, query.limit)
    return {
      items: items.map((row) => ({
        external_id: row.externalId,
        role: row.role,
        name: row.name,
        created_at: row.createdAt.toISOString(),
        created_by: row.createdBy,
      })),
      next_cursor: rows.length > query.limit ? (items.at(-1)?.externalId ?? null) : null,
    }
  },
})
