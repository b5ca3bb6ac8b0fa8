/** `/v1/admin/alerts/rules` and `/silences`: the catalogue, what an operator has changed of it, and what is silent for a time. */
import { z } from 'zod'
import { type AlertRuleId, alertRuleIds, expressionOf, ruleOf } from '../../../actors/alerts/rules.ts'
import { changeRule, endSilence, listSilences, ruleChanges, silence, silencesMax } from '../../../store/alerts/rules.ts'
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import { admin } from '../../access.ts'
import { badRequest, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { RuleId } from './routes.ts'

const tag = 'alerts'
const change = { method: 'POST', tag, access: admin('alerts.write') } as const
const Ok = z.object({ ok: z.literal(true) })
const Text = z.object({ en: z.string(), ru: z.string() })

const RuleView = z.object({
  rule: RuleId,
  scope: z.enum(['workspace', 'installation']),
  title: Text,
  help: Text,
  unit: z.enum(['ratio', 'share', 'seconds', 'days', 'count']),
  fires: z.enum(['above', 'below']).describe('On which side of the threshold, which counts itself.'),
  threshold: z.number(),
  default_threshold: z.number(),
  floor: z.number().describe('With less to judge by, such as turns, it does not fire.'),
  for_s: z.int().describe('Seconds that it must hold before it fires, and be over before it resolves.'),
  default_for_s: z.int(),
  is_urgent: z.boolean().describe('Told during quiet hours too.'),
  is_enabled: z.boolean(),
  runbook: z.string().describe('The section of docs/alerts.md that says what to do.'),
  expression: z.string().describe('The same over GET /v1/admin/metrics, for another system.'),
})

export const listAlertRules = route({
  method: 'GET',
  path: '/v1/admin/alerts/rules',
  summary: 'List the alert rules',
  description: 'As they hold in this workspace. Those of the installation are listed in the default workspace.',
  tag,
  access: admin('alerts.read'),
  answers: { 200: z.object({ items: z.array(RuleView) }) },
  async handle({ app, principal }) {
    const changes = new Map((await ruleChanges(app.db, principal.workspaceId)).map((each) => [each.rule, each]))
    const isHome = principal.workspaceId === defaultWorkspace(app)
    return {
      items: alertRuleIds
        .filter((id) => isHome || ruleOf(id).scope === 'workspace')
        .map((id) => {
          const rule = ruleOf(id)
          const changed = changes.get(id)
          return {
            rule: id,
            ...{ scope: rule.scope, title: rule.title, help: rule.help, unit: rule.unit, fires: rule.fires },
            ...{
              threshold: changed?.threshold ?? rule.threshold,
              default_threshold: rule.threshold,
              floor: rule.floor,
            },
            ...{ for_s: changed?.forS ?? rule.forS, default_for_s: rule.forS, is_urgent: rule.isUrgent },
            ...{ is_enabled: changed?.isEnabled ?? true, runbook: rule.runbook, expression: expressionOf(id) },
          }
        }),
    }
  },
})

export const changeAlertRule = route({
  ...change,
  path: '/v1/admin/alerts/rules/change',
  summary: 'Change an alert rule',
  description: 'For this workspace. A field that is absent stays; null is the catalogue’s value again.',
  body: z.strictObject({
    rule: RuleId,
    is_enabled: z.boolean().optional(),
    threshold: z.number().min(0).max(1e9).nullable().optional(),
    for_s: z.int().min(0).max(86_400).nullable().optional(),
  }),
  answers: { 200: Ok },
  async handle(call) {
    const { app, body, principal } = call
    const rule = body.rule as AlertRuleId
    if (ruleOf(rule).scope === 'installation' && principal.workspaceId !== defaultWorkspace(app))
      throw badRequest('This rule is of the installation: it is changed in the default workspace.', 'rule')
    const before = (await ruleChanges(app.db, principal.workspaceId)).find((each) => each.rule === rule)
    await changeRule(app.db, auditActor(call), {
      rule,
      isEnabled: body.is_enabled ?? before?.isEnabled ?? true,
      threshold: body.threshold === undefined ? (before?.threshold ?? null) : body.threshold,
      forS: body.for_s === undefined ? (before?.forS ?? null) : body.for_s,
    })
    return { ok: true }
  },
})

const Subject = z.string().max(200).default('').describe('As in the alert; empty: everything the rule is about.')

export const listAlertSilences = route({
  method: 'GET',
  path: '/v1/admin/alerts/silences',
  summary: 'List the silences that are not over',
  tag,
  access: admin('alerts.read'),
  answers: {
    200: z.object({
      items: z
        .array(
          z.object({
            rule: z.string(),
            subject: z.string(),
            subject_name: z.string().nullable().describe('As in the newest alert about it.'),
            until: z.iso.datetime(),
            reason: z.string(),
            created_at: z.iso.datetime(),
            created_by: z.string(),
          }),
        )
        .max(silencesMax),
    }),
  },
  async handle({ app, principal }) {
    const all = await listSilences(app.db, principal.workspaceId)
    return {
      items: all.map(({ until, createdAt, createdBy, subjectName, ...one }) => ({
        ...{ rule: one.rule, subject: one.subject, subject_name: subjectName },
        ...{ reason: one.reason, until: until.toISOString() },
        ...{ created_at: createdAt.toISOString(), created_by: createdBy },
      })),
    }
  },
})

export const silenceAlerts = route({
  ...change,
  path: '/v1/admin/alerts/silence',
  summary: 'Silence alerts for a time',
  description:
    'What fires meanwhile is listed, and nobody is told of it, nor of its end. Of what fires already the end is told.',
  body: z.strictObject({
    rule: RuleId,
    subject: Subject,
    for_s: z
      .int()
      .min(60)
      .max(90 * 86_400),
    reason: z.string().trim().max(500).default(''),
  }),
  answers: { 200: z.object({ until: z.iso.datetime() }) },
  async handle(call) {
    const { app, body } = call
    const until = new Date(app.clock.now() + body.for_s * 1_000)
    await silence(app.db, auditActor(call), { rule: body.rule, subject: body.subject, reason: body.reason, until })
    return { until: until.toISOString() }
  },
})

export const endAlertSilence = route({
  ...change,
  path: '/v1/admin/alerts/unsilence',
  summary: 'End a silence',
  body: z.strictObject({ rule: RuleId, subject: Subject }),
  answers: { 200: Ok },
  async handle(call) {
    const { app, body } = call
    if (!(await endSilence(app.db, auditActor(call), body))) throw notFound('There is no such silence.', 'rule')
    return { ok: true }
  },
})
