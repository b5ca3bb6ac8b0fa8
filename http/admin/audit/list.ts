/** `GET /v1/admin/audit`: who changed what in the workspace, newest first. */
import { z } from 'zod'
import { listAudit } from '../../../store/audit/audit.ts'
import { auditNames } from '../../../store/audit/names.ts'
import { AuditId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { auditFilter, auditView, filterOf, NamedAuditView } from './view.ts'

export const listAuditLog = route({
  method: 'GET',
  path: '/v1/admin/audit',
  summary: 'List the audit log',
  tag: 'audit',
  access: admin('audit.read'),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: AuditId.optional().describe('next_cursor of the page before'),
    id: AuditId.optional().describe('This entry alone.'),
    ...auditFilter,
  }),
  answers: { 200: z.object({ items: z.array(NamedAuditView), next_cursor: AuditId.nullable() }) },
  async handle({ app, query, principal }) {
    const page = { before: query.cursor ?? null, only: query.id, limit: query.limit + 1 }
    const found = await listAudit(app.db, principal.workspaceId, page, filterOf(query))
    const shown = found.slice(0, query.limit)
    const names = await auditNames(app.db, principal.workspaceId, shown)
    const items = shown.map((entry) => ({
      ...auditView(entry),
      actor_name: names.get(entry.actor) ?? null,
      target_name: names.get(entry.target?.split('/', 1)[0] ?? '') ?? null,
    }))
    return { items, next_cursor: found.length > query.limit ? (items.at(-1)?.id ?? null) : null }
  },
})
