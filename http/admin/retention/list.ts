/** `GET /v1/admin/retention`: what is kept for how long, how much it is, and how fast it grows. */
import { z } from 'zod'
import type { SettingKey } from '../../../config/catalogue.ts'
import { databaseBytes, tableSizes } from '../../../store/retention.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'

/** The setting of each table; `days` where it is fixed; neither: kept for ever. */
const rules: Record<string, { setting?: SettingKey; days?: number; by: 'part' | 'row' }> = {
  turn_steps: { setting: 'SERVICE_STEP_RETENTION_DAYS', by: 'part' },
  delivery_attempts: { setting: 'SERVICE_ATTEMPT_RETENTION_DAYS', by: 'row' },
  usage_entries: { setting: 'SERVICE_USAGE_RETENTION_DAYS', by: 'part' },
  events: { setting: 'SERVICE_EVENT_RETENTION_DAYS', by: 'row' },
  inbound: { days: 30, by: 'row' },
  turns: { setting: 'SERVICE_TURN_RETENTION_DAYS', by: 'row' },
  messages: { by: 'row' },
  deliveries: { by: 'row' },
  responses: { setting: 'SERVICE_RESPONSE_RETENTION_DAYS', by: 'row' },
  audit_log: { setting: 'SERVICE_AUDIT_RETENTION_DAYS', by: 'row' },
  subscription_deliveries: { setting: 'SERVICE_SUBSCRIPTION_RETENTION_DAYS', by: 'row' },
  alerts: { setting: 'SERVICE_ALERT_RETENTION_DAYS', by: 'row' },
}

const dayMs = 86_400_000

const View = z.object({
  table: z.string(),
  setting: z.string().nullable().describe('The setting that says how long; null: it is fixed.'),
  days: z.int().nullable().describe('How long rows are kept; null: for ever.'),
  deleted_by: z.enum(['part', 'row']).describe('part: a week at once, and the disk has its room again.'),
  rows: z.number(),
  rows_estimated: z.boolean().describe('There are too many to be counted each time.'),
  bytes: z.number().describe('With indexes.'),
  parts: z.int(),
  oldest_at: z.iso.datetime().nullable(),
  bytes_a_day: z.number().nullable().describe('On average since the oldest row; null: younger than a day.'),
})

export const listRetention = route({
  method: 'GET',
  path: '/v1/admin/retention',
  summary: 'What is kept, how much it is and how fast it grows',
  description: 'Of the whole installation, largest first.',
  tag: 'settings',
  access: admin('settings.read', { isInstallation: true }),
  answers: { 200: z.object({ items: z.array(View), database_bytes: z.number() }) },
  async handle({ app }) {
    const sizes = await tableSizes(app.db)
    const items = sizes.map(({ table, rows, isEstimate, bytes, parts, oldestAt }) => {
      const { setting, days: fixed, by } = rules[table] ?? { by: 'row' as const }
      const days = setting ? Number(app.settings.get(setting)) || null : (fixed ?? null)
      const ageDays = oldestAt ? (app.clock.now() - oldestAt.getTime()) / dayMs : 0
      return {
        ...{ table, setting: setting ?? null, days, deleted_by: by, rows, rows_estimated: isEstimate, bytes, parts },
        oldest_at: oldestAt?.toISOString() ?? null,
        bytes_a_day: ageDays >= 1 ? Math.round(bytes / ageDays) : null,
      }
    })
    return { items, database_bytes: await databaseBytes(app.db) }
  },
})
