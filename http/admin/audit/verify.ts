/** `GET /v1/admin/audit/verify`: whether the audit log is unchanged. */
import { z } from 'zod'
import { commandName } from '../../../runtime/command-name.ts'
import { verifyAudit } from '../../../store/audit/chain.ts'
import type { Database } from '../../../store/database.ts'
import { admin } from '../../access.ts'
import { ApiError } from '../../error.ts'
import { route } from '../../route.ts'

/** A few seconds of work; the command verifies longer logs. */
const rowsMax = 200_000

const Verdict = z.object({
  intact: z.boolean().describe('No checked entry was changed, removed or inserted.'),
  complete: z.boolean().describe(`False: the log is longer than ${rowsMax} entries; the command has no bound.`),
  command: z.string().describe('What verifies the whole log, typed on the machine of the service.'),
  problem: z
    .object({ kind: z.string(), seq: z.int().describe('The first wrong place.'), message: z.string() })
    .nullable(),
  entries: z.int().describe('How many were checked.'),
  verified_seq: z.int(),
  head: z
    .object({ seq: z.int(), hash: z.string() })
    .describe('The newest entry. Store it elsewhere to check later that the chain was not replaced.'),
  deleted_by_retention: z.object({ up_to_seq: z.int(), at: z.iso.datetime() }).nullable(),
  at: z.iso.datetime(),
})

/** One at a time in a process: each costs the database and the main thread. */
const verifying = new WeakSet<Database>()

export const verifyAuditLog = route({
  method: 'GET',
  path: '/v1/admin/audit/verify',
  summary: 'Verify the audit log',
  description: 'Computes the hash of every entry again, up to a bound. One verification runs at a time.',
  tag: 'audit',
  access: admin('audit.read'),
  answers: { 200: Verdict },
  async handle({ app, principal, signal }) {
    if (verifying.has(app.db)) throw busy()
    verifying.add(app.db)
    try {
      const { problem, ...verdict } = await verifyAudit(app.db, principal.workspaceId, { signal, rowsMax })
      const { deleted, headSeq, headHash } = verdict
      return {
        intact: problem === null,
        complete: verdict.isComplete,
        command: `${commandName()} audit verify`,
        problem,
        entries: verdict.rows,
        verified_seq: verdict.verifiedSeq,
        head: { seq: headSeq, hash: headHash },
        deleted_by_retention: deleted && { up_to_seq: deleted.upToSeq, at: deleted.at.toISOString() },
        at: new Date(app.clock.now()).toISOString(),
      }
    } finally {
      verifying.delete(app.db)
    }
  },
})

const busy = (): ApiError =>
  new ApiError('verification_runs', 'A verification is running; try again when it has ended.')
