/** Entries of the audit log as lines of a file: JSON for programs, CSV for spreadsheets. */
import type { AuditRecord } from '../../../store/audit/list.ts'
import { auditView } from './view.ts'

export interface ExportLines {
  readonly contentType: string
  readonly begin: string
  line(entry: AuditRecord): string
}

/** With everything that the hash is made of, so that it can be computed again from the file. */
const ndjson: ExportLines = {
  contentType: 'application/x-ndjson; charset=utf-8',
  begin: '',
  line(entry) {
    const { detailText, prevHash, hash } = entry
    return `${JSON.stringify({ ...auditView(entry), detail_text: detailText, prev_hash: prevHash, hash })}\n`
  },
}

const columns = {
  seq: ({ seq }) => String(seq),
  at: ({ at }) => at,
  actor: ({ actor }) => actor,
  action: ({ action }) => action,
  target: ({ target }) => target ?? '',
  detail: ({ detailText }) => detailText ?? '',
  before_digest: ({ beforeDigest }) => beforeDigest ?? '',
  after_digest: ({ afterDigest }) => afterDigest ?? '',
  ip: ({ ip }) => ip,
  request_id: ({ requestId }) => requestId,
  id: ({ id }) => id,
  prev_hash: ({ prevHash }) => prevHash,
  hash: ({ hash }) => hash,
} satisfies Record<string, (entry: AuditRecord) => string>

const csv: ExportLines = {
  contentType: 'text/csv; charset=utf-8',
  begin: `${Object.keys(columns).join(',')}\r\n`,
  line: (entry) =>
    `${Object.values(columns)
      .map((column) => csvCell(column(entry)))
      .join(',')}\r\n`,
}

export const exportFormats = { ndjson, csv } as const

/** How a formula can begin for a spreadsheet, also after spaces and in full-width characters. */
const formulaBeginning = /^[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20|]|^[\t\r\n]/u

/** Quoted as in RFC 4180, with an apostrophe before a text that a spreadsheet would run as a formula. */
export function csvCell(text: string): string {
  const harmless = formulaBeginning.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}
