/** `GET /v1/admin/audit/export`: the audit log as a file, read and sent in pages. */
import { z } from 'zod'
import { type AuditFilter, type AuditRecord, auditEntriesAfter, newestAuditSeq } from '../../../store/audit/list.ts'
import type { WorkspaceId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import { rawStream } from '../../answer.ts'
import type { App } from '../../app.ts'
import { writeAtPace } from '../../edge/write-at-pace.ts'
import { route } from '../../route.ts'
import type { StreamWriter } from '../../server/stream-writer.ts'
import { type ExportLines, exportFormats } from './export-lines.ts'
import { auditFilter, filterOf } from './view.ts'

/** An entry has up to 32 KiB: of a page of such entries nobody feels the reading. */
const pageRows = 100

export const exportAuditLog = route({
  method: 'GET',
  path: '/v1/admin/audit/export',
  summary: 'Download the audit log',
  description:
    'A file with all matching entries, oldest first, without those written after the request began. In CSV an apostrophe ' +
    'stands before a text that a spreadsheet would run as a formula.',
  tag: 'audit',
  access: admin('audit.read'),
  query: z.object({ format: z.enum(['ndjson', 'csv']).default('ndjson'), ...auditFilter }),
  answers: { 200: { contentType: 'application/octet-stream', description: 'application/x-ndjson or text/csv.' } },
  async handle({ app, query, principal }) {
    const { workspaceId } = principal
    const upTo = await newestAuditSeq(app.db, workspaceId)
    const matching: Matching = { workspaceId, filter: filterOf(query), upTo }
    // Read before the answer begins, so that a failure is still an ordinary error.
    const first = await nextPage(app, matching, 0)
    const lines = exportFormats[query.format]
    const disposition = `attachment; filename="audit-${workspaceId}.${query.format}"`
    return rawStream(lines.contentType, { 'content-disposition': disposition }, (out) =>
      send(app, matching, lines, first, out),
    )
  },
})

interface Matching {
  workspaceId: WorkspaceId
  filter: AuditFilter
  upTo: number
}

function nextPage(app: App, { workspaceId, filter, upTo }: Matching, after: number): Promise<AuditRecord[]> {
  return auditEntriesAfter(app.db, workspaceId, filter, { after, upTo, limit: pageRows })
}

async function send(
  app: App,
  matching: Matching,
  lines: ExportLines,
  first: AuditRecord[],
  out: StreamWriter,
): Promise<void> {
  await writeAtPace(out, lines.begin)
  for (let page = first; page.length > 0; ) {
    for (const entry of page) await writeAtPace(out, lines.line(entry))
    if (out.signal.aborted || page.length < pageRows) return
    page = await nextPage(app, matching, page.at(-1)?.seq ?? matching.upTo)
  }
}
