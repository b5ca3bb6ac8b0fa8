/** `/v1/admin/alerts`: what fires, what fired, and who was told. */
import { z } from 'zod'
import { alertRuleIds } from '../../../actors/alerts/rules.ts'
import { alertStates, listAlerts, tellTestAlert } from '../../../store/alerts/alerts.ts'
import { Disposition } from '../../../store/deliveries/deliveries.ts'
import { AlertId, SubscriptionId, uuidOf } from '../../../store/id.ts'
import { noticesAbout } from '../../../store/subscriptions/reads.ts'
import { listSubscriptions } from '../../../store/subscriptions/subscriptions.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'

const tag = 'alerts'
export const RuleId = z.enum(alertRuleIds as [string, ...string[]])

const AlertView = z.object({
  id: AlertId,
  rule: z.string(),
  subject: z.string().describe('What it is about: an id, a host or a name; empty: the workspace or the installation.'),
  subject_name: z.string().nullable(),
  state: z.enum(alertStates),
  value: z.number(),
  threshold: z.number(),
  is_silenced: z.boolean().describe('It fired while silenced, and nobody was told.'),
  began_at: z.iso.datetime(),
  fired_at: z.iso.datetime().nullable(),
  resolved_at: z.iso.datetime().nullable(),
  told: z
    .array(
      z.object({
        subscription_id: SubscriptionId,
        subscription: z.string(),
        event_kind: z.string(),
        status: Disposition,
        at: z.iso.datetime(),
        reason: z.string().nullable(),
      }),
    )
    .describe('Whom it was sent to, and what came of it.'),
})

/** Of one page. */
const toldMax = 2_000

export const listAlertsRoute = route({
  method: 'GET',
  path: '/v1/admin/alerts',
  summary: 'List alerts, newest first',
  description: 'Those of the installation belong to the default workspace.',
  tag,
  access: admin('alerts.read'),
  query: z.object({
    state: z.enum(alertStates).optional(),
    rule: RuleId.optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: AlertId.optional(),
  }),
  answers: { 200: z.object({ items: z.array(AlertView), next_cursor: z.string().nullable() }) },
  async handle({ app, query, principal }) {
    const { db } = app
    const { workspaceId } = principal
    const filter = { state: query.state ?? null, rule: query.rule ?? null }
    const rows = await listAlerts(db, workspaceId, filter, { before: query.cursor ?? null, limit: query.limit + 1 })
    const items = rows.slice(0, query.limit)
    const subjects = items.map(({ id }) => uuidOf(id))
    const notices = subjects.length === 0 ? [] : await noticesAbout(db, workspaceId, subjects, toldMax)
    const names = new Map((await listSubscriptions(db, workspaceId)).map(({ id, name }) => [id, name]))
    return {
      items: items.map((alert) => ({
        id: alert.id,
        rule: alert.rule,
        subject: alert.subject,
        subject_name: alert.subjectName,
        state: alert.state,
        value: alert.value,
        threshold: alert.threshold,
        is_silenced: alert.isSilenced,
        began_at: alert.beganAt.toISOString(),
        fired_at: alert.firedAt?.toISOString() ?? null,
        resolved_at: alert.resolvedAt?.toISOString() ?? null,
        told: notices
          .filter(({ subject }) => subject === uuidOf(alert.id))
          .map(({ subscriptionId, eventKind, status, updatedAt, reason }) => ({
            ...{
              subscription_id: subscriptionId,
              subscription: names.get(subscriptionId) ?? '',
              event_kind: eventKind,
            },
            ...{ status, at: updatedAt.toISOString(), reason },
          })),
      })),
      next_cursor: rows.length > query.limit ? (items.at(-1)?.id ?? null) : null,
    }
  },
})

export const testAlerts = route({
  method: 'POST',
  path: '/v1/admin/alerts/test',
  summary: 'Test the alerts',
  description:
    'Sends an `alert.test` to every subscription that is told of alerts, through the outbox. What came of it: `GET /v1/admin/subscriptions/deliveries?alert_id=…`.',
  tag,
  access: admin('alerts.write'),
  answers: { 200: z.object({ alert_id: AlertId, subscriptions: z.int() }) },
  async handle(call) {
    const { app, principal } = call
    const all = await listSubscriptions(app.db, principal.workspaceId)
    const told = all.filter(
      ({ isEnabled, eventKinds }) => isEnabled && eventKinds.some((kind) => kind.startsWith('alert.')),
    )
    const alert_id = await tellTestAlert(app.db, auditActor(call))
    app.services.feed.wake()
    return { alert_id, subscriptions: told.length }
  },
})
