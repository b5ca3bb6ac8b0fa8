/** `GET /v1/admin/audit`: who changed what in the workspace, newest first. */
import { z } from 'zod'
import { listAudit } from '../../store/audit.ts'
import { AuditId } from '../../store/id.ts'
import { admin } from '../access.ts'
import { route } from '../route.ts'

const AuditView = z.object({
  id: AuditId,
  at: z.iso.datetime(),
  actor: z.string().describe('The id of the key, or the kind of a caller without one.'),
  action: z.string(),
  target: z.string().nullable(),
  before_digest: z.string().nullable().describe('SHA-256 of the changed fields as they were.'),
  after_digest: z.string().nullable().describe('SHA-256 of the changed fields as they became.'),
  ip: z.string(),
  request_id: z.string(),
})

export const listAuditLog = route({
  method: 'GET',
  path: '/v1/admin/audit',
  summary: 'List the audit log',
  tag: 'audit',
  access: admin('audit.read'),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: AuditId.optional().describe('next_cursor of the page before'),
  }),
  answers: { 200: z.object({ items: z.array(AuditView), next_cursor: AuditId.nullable() }) },
  async handle({ app, query, principal }) {
    const found = await listAudit(app.db, principal.workspaceId, {
      before: query.cursor ?? null,
      limit: query.limit + 1,
    })
    const items = found.slice(0, query.limit).map((entry) => ({
      id: entry.id,
      at: entry.at.toISOString(),
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      before_digest: entry.beforeDigest,
      after_digest: entry.afterDigest,
      ip: entry.ip,
      request_id: entry.requestId,
    }))
    return { items, next_cursor: found.length > query.limit ? (items.at(-1)?.id ?? null) : null }
  },
})
