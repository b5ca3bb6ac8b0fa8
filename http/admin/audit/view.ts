/** Entries of the audit log as the API shows them, and the filter of a request. */
import { z } from 'zod'
import type { AuditFilter, AuditRecord } from '../../../store/audit/list.ts'
import { AuditId } from '../../../store/id.ts'

export const AuditView = z.object({
  id: AuditId,
  seq: z.int().describe('Its place in the chain of the workspace.'),
  at: z.iso.datetime(),
  actor: z.string().describe('The login of an operator, the id of a key, or the kind of a caller without either.'),
  action: z.string(),
  target: z.string().nullable(),
  detail: z
    .object({ before: z.unknown(), after: z.unknown() })
    .nullable()
    .describe('A readable summary of the change; of secrets only whether they are set.'),
  before_digest: z.string().nullable().describe('SHA-256 of the changed fields before.'),
  after_digest: z.string().nullable().describe('SHA-256 of the changed fields after.'),
  ip: z.string(),
  request_id: z.string(),
})

export const NamedAuditView = AuditView.extend({
  actor_name: z.string().nullable().describe('The name of the key; null: the actor is no key.'),
  target_name: z
    .string()
    .nullable()
    .describe('What has the id in target, where it still exists: its name, title or login.'),
})

export const auditFilter = {
  actor: z.string().min(1).max(200).optional(),
  action: z.string().min(1).max(100).optional().describe('A prefix of the action, such as channel.'),
  target: z.string().min(1).max(500).optional(),
  from: z.iso.datetime({ offset: true }).optional().describe('Inclusive.'),
  to: z.iso.datetime({ offset: true }).optional().describe('Exclusive.'),
}

interface FilterQuery {
  actor?: string | undefined
  action?: string | undefined
  target?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

export function filterOf({ actor, action, target, from, to }: FilterQuery): AuditFilter {
  return {
    actor: actor ?? null,
    action: action ?? null,
    target: target ?? null,
    from: from === undefined ? null : new Date(from),
    to: to === undefined ? null : new Date(to),
  }
}

export function auditView(entry: AuditRecord): z.infer<typeof AuditView> {
  return {
    id: entry.id,
    seq: entry.seq,
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    target: entry.target,
    detail: entry.detail,
    before_digest: entry.beforeDigest,
    after_digest: entry.afterDigest,
    ip: entry.ip,
    request_id: entry.requestId,
  }
}
