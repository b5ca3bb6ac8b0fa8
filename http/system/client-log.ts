/** Log lines of browsers and other clients. Anybody may send them, so everything is bounded and nothing is trusted. */
import { z } from 'zod'
import { open } from '../access.ts'
import { reply } from '../answer.ts'
import { ApiError } from '../error.ts'
import { route } from '../route.ts'

const entriesMax = 20
const textMax = 2_000
const contextMax = 16

const ClientLogEntry = z.object({
  level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  message: z.string().min(1).max(textMax),
  time: z.iso.datetime({ offset: true }).optional(),
  source: z.string().max(200).optional(),
  stack: z
    .string()
    .max(textMax * 4)
    .optional(),
  context: z
    .record(z.string().max(64), z.union([z.string().max(500), z.number(), z.boolean(), z.null()]))
    .refine((context) => Object.keys(context).length <= contextMax, `at most ${contextMax} fields`)
    .optional(),
})
type ClientLogEntry = z.infer<typeof ClientLogEntry>

export const clientLog = route({
  method: 'POST',
  path: '/v1/client-log',
  summary: 'Ingest client-side log events',
  description: `At most ${entriesMax} entries a request; limited per address and in all. Control characters are replaced.`,
  tag: 'system',
  access: open,
  deadlineMs: 10_000,
  body: z.object({ entries: z.array(ClientLogEntry).min(1).max(entriesMax) }),
  answers: { 202: z.object({ accepted: z.int() }) },
  handle({ app, body, clientIp, requestId }) {
    const waitMs = app.clientLogLimit.take(clientIp)
    if (waitMs > 0) throw tooMany(waitMs)
    for (const entry of body.entries) {
      app.log[levels[entry.level]](
        { request_id: requestId, client_ip: clientIp, client: cleanEntry(entry) },
        'client log',
      )
    }
    return reply(202, { accepted: body.entries.length })
  },
})

/** Errors of clients are logged as warnings: an error in our log is one of the service. */
const levels = { debug: 'debug', info: 'info', warn: 'warn', error: 'warn' } as const

function cleanEntry(entry: ClientLogEntry): object {
  const context = entry.context && Object.fromEntries(Object.entries(entry.context).map(cleanField))
  return {
    level: entry.level,
    message: clean(entry.message),
    ...(entry.time !== undefined && { time: entry.time }),
    ...(entry.source !== undefined && { source: clean(entry.source) }),
    ...(entry.stack !== undefined && { stack: clean(entry.stack) }),
    ...(context && { context }),
  }
}

function cleanField([name, value]: [string, string | number | boolean | null]): [string, typeof value] {
  return [clean(name), typeof value === 'string' ? clean(value) : value]
}

/** Replaces control and bidirectional characters with spaces, so that no line can disguise itself in a terminal. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
}

function tooMany(waitMs: number): ApiError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  return new ApiError('rate_limit_exceeded', `Try again in ${retryAfterS} s.`, { retryAfterS })
}
