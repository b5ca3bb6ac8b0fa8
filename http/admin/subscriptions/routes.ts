/** `/v1/admin/subscriptions`: which events are sent where, by signed webhook or by mail. */
import { z } from 'zod'
import { MailAddress } from '../../../actors/channel/adapters/email/address.ts'
import { newSigningSecret } from '../../../actors/outbox/signed-post.ts'
import { QuietHours } from '../../../actors/subscription/quiet-hours.ts'
import { OutgoingRefused } from '../../../runtime/network/judge.ts'
import { targetOf } from '../../../runtime/network/outgoing.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { subscribableKinds } from '../../../store/events/kinds.ts'
import { SubscriptionId } from '../../../store/id.ts'
import { outboxStates } from '../../../store/subscriptions/reads.ts'
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  type NewSubscription,
  readSubscription,
  replaceSigningSecret,
  type Subscription,
  SubscriptionKind,
  subscriptionsMax,
} from '../../../store/subscriptions/subscriptions.ts'
import { admin, isPermitted, type Principal } from '../../access.ts'
import { reply } from '../../answer.ts'
import type { App } from '../../app.ts'
import { badRequest, forbidden, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { SubscriptionView, viewOf } from './view.ts'

const tag = 'subscriptions'
const change = { method: 'POST', tag, access: admin('webhooks.write') } as const

const kinds = subscribableKinds()
const EventKinds = z
  .array(z.enum(kinds as [string, ...string[]]))
  .min(1)
  .max(kinds.length)
  .describe('Kinds, or all of a noun such as `turn.*`.')

const Name = z.string().trim().min(1).max(100)
const Target = z.string().min(1).max(2_000)
const Secret = z.string().describe('Shown this once: what the signatures are checked with.')

const Warning = z.string().nullable().describe('Why a post to the target would be refused now; null: it would be sent.')

const Id = z.strictObject({ subscription_id: SubscriptionId })
const Ok = z.object({ ok: z.literal(true) })

export const listSubscriptionsRoute = route({
  method: 'GET',
  path: '/v1/admin/subscriptions',
  summary: 'List the subscriptions',
  description: 'With the state of their outboxes, and the kinds that can be subscribed to.',
  tag,
  access: admin('webhooks.read'),
  answers: {
    200: z.object({
      items: z.array(SubscriptionView).max(subscriptionsMax),
      event_kinds: z.array(z.string()),
      mail_channel: z.string().nullable().describe('SERVICE_MAIL_CHANNEL; null: no mail is sent.'),
    }),
  },
  async handle({ app, principal }) {
    const found = await listSubscriptions(app.db, principal.workspaceId)
    const states = await outboxStates(
      app.db,
      principal.workspaceId,
      found.map(({ id }) => id),
    )
    return {
      items: found.map((one) => viewOf(one, states.get(one.id))),
      event_kinds: kinds,
      mail_channel: app.settings.get('SERVICE_MAIL_CHANNEL') || null,
    }
  },
})

export const createSubscriptionRoute = route({
  ...change,
  path: '/v1/admin/subscriptions',
  summary: 'Subscribe to events',
  description:
    'webhook: each event is posted to the target, signed as Standard Webhooks says; the secret is in the answer, and never again. mail: to one address, by the channel of SERVICE_MAIL_CHANNEL. Events from now on. A key needs admin:read too: events hold what is said in conversations.',
  body: z.strictObject({
    name: Name,
    kind: SubscriptionKind,
    target: Target,
    event_kinds: EventKinds,
    quiet_hours: QuietHours.nullable().optional().describe('While alerts wait that are not urgent.'),
    is_enabled: z.boolean().optional(),
  }),
  answers: { 201: SubscriptionView.extend({ signing_secret: Secret.nullable(), target_warning: Warning }) },
  async handle(call) {
    const { app, body, principal } = call
    refuseWithoutEvents(principal)
    const made: NewSubscription = {
      name: body.name,
      kind: body.kind,
      target: checkedTarget(body.kind, body.target),
      eventKinds: body.event_kinds,
      quietHours: body.quiet_hours ?? null,
      isEnabled: body.is_enabled ?? true,
    }
    const secret = body.kind === 'webhook' ? newSigningSecret() : null
    const actor = auditActor(call)
    const id = await createSubscription(app.db, () => app.masterKey(), { made, secret, actor })
    app.services.feed.wake()
    const target_warning = await warningAbout(call, made)
    return reply(201, { ...viewOf(await found(call, id), undefined), signing_secret: secret, target_warning })
  },
})

export const updateSubscriptionRoute = route({
  ...change,
  path: '/v1/admin/subscriptions/update',
  summary: 'Change a subscription',
  description: 'The given fields. Switched on again it goes on with what happens from then on.',
  body: Id.extend({
    name: Name.optional(),
    target: Target.optional(),
    event_kinds: EventKinds.optional(),
    quiet_hours: QuietHours.nullable().optional(),
    is_enabled: z.boolean().optional(),
  }),
  answers: { 200: SubscriptionView.extend({ target_warning: Warning }) },
  async handle(call) {
    const { app, body, principal } = call
    refuseWithoutEvents(principal)
    const before = await found(call, body.subscription_id)
    const after: NewSubscription = {
      name: body.name ?? before.name,
      kind: before.kind,
      target: body.target === undefined ? before.target : checkedTarget(before.kind, body.target),
      eventKinds: body.event_kinds ?? before.eventKinds,
      quietHours: body.quiet_hours === undefined ? before.quietHours : body.quiet_hours,
      isEnabled: body.is_enabled ?? before.isEnabled,
    }
    if (!(await changeSubscription(app.db, before, { after, actor: auditActor(call) }))) throw missing()
    app.services.feed.wake()
    const states = await outboxStates(app.db, principal.workspaceId, [before.id])
    const target_warning = await warningAbout(call, after)
    return { ...viewOf(await found(call, before.id), states.get(before.id)), target_warning }
  },
})

export const rotateSubscriptionSecretRoute = route({
  ...change,
  path: '/v1/admin/subscriptions/secret',
  summary: 'Make a new signing secret',
  description: 'Posts are signed with it from now on; the earlier one is gone.',
  access: admin('webhooks.write', { isDangerous: true }),
  body: Id,
  answers: { 200: z.object({ signing_secret: Secret }) },
  async handle(call) {
    const { app, body } = call
    const subscription = await found(call, body.subscription_id)
    if (subscription.kind !== 'webhook') throw badRequest('Only webhooks have a secret.', 'subscription_id')
    const secret = newSigningSecret()
    await replaceSigningSecret(app.db, () => app.masterKey(), { subscription, secret, actor: auditActor(call) })
    return { signing_secret: secret }
  },
})

export const deleteSubscriptionRoute = route({
  ...change,
  path: '/v1/admin/subscriptions/delete',
  summary: 'Delete a subscription',
  description: 'With its deliveries and its secret. Cannot be undone.',
  body: Id,
  answers: { 200: Ok },
  async handle(call) {
    const { app, body } = call
    const subscription = await found(call, body.subscription_id)
    if (!(await deleteSubscription(app.db, subscription, auditActor(call)))) throw missing()
    app.services.feed.wake()
    return { ok: true }
  },
})

/** Events hold what was said in conversations: where they go is for those to say who may read them. @throws ApiError 403 */
function refuseWithoutEvents(principal: Principal): void {
  if (!isPermitted(principal, admin('events.read')))
    throw forbidden('A subscription sends out events, and this key lacks the scope admin:read, which reads them.')
}

const missing = () => notFound('There is no such subscription.', 'subscription_id')

/** @throws ApiError 404 */
export async function found(
  { app, principal }: { app: App; principal: Principal },
  id: SubscriptionId,
): Promise<Subscription> {
  const subscription = await readSubscription(app.db, principal.workspaceId, id)
  if (!subscription) throw missing()
  return subscription
}

/** A name is not looked up for longer: the connects say it too. */
const judgeMs = seconds(3)

/** It is stored all the same: it is judged at each connect, and a name may lead elsewhere tomorrow. */
async function warningAbout(
  { app, signal }: { app: App; signal: AbortSignal },
  { kind, target }: Pick<NewSubscription, 'kind' | 'target'>,
): Promise<string | null> {
  if (kind !== 'webhook') return null
  try {
    await app.services.outgoing.judged(
      targetOf(new URL(target)),
      AbortSignal.any([signal, AbortSignal.timeout(judgeMs)]),
    )
    return null
  } catch (error) {
    return error instanceof OutgoingRefused && error.code !== 'busy' ? error.message : null
  }
}

/** Where it leads is not judged here, but warned of. @throws ApiError 400 */
function checkedTarget(kind: SubscriptionKind, target: string): string {
  if (kind === 'mail') {
    if (!MailAddress.safeParse(target).success)
      throw badRequest('target must be an address such as operators@example.com.', 'target')
    return target
  }
  if (!URL.canParse(target)) throw badRequest('target must be an address such as https://example.com/hook.', 'target')
  const url = new URL(target)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw badRequest('target must begin with https:// or http://.', 'target')
  if (url.username !== '' || url.password !== '')
    throw badRequest('target must not hold a user or a password: it is shown to whoever reads subscriptions.', 'target')
  return url.href
}
