/** Log lines of browsers and other clients: open to all, so everything about them is bounded and nothing is believed. */
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Clock } from '../../runtime/time/clock.ts'
import { open } from '../access.ts'
import { reply } from '../answer.ts'
import { type CellRate, takeCell } from '../auth/gcra.ts'
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
  bodyBytesMax: 65_536,
  deadlineMs: 10_000,
  body: z.object({ entries: z.array(ClientLogEntry).min(1).max(entriesMax) }),
  answers: { 202: z.object({ accepted: z.int() }) },
  handle({ app, body, clientIp, requestId }) {
    const waitMs = limitOf(app.clock).waitMs(clientIp)
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

/** Anybody can write these, so none of them may raise the alarm that an error of ours raises: theirs end at warn. */
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

/** Control and direction-changing characters become spaces: a log line must look like what it is in any terminal. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
}

const perAddress = { perMinute: 60, burst: 10 }
const overall = { perMinute: 1_200, burst: 200 }

interface Limit {
  /** Counts one request; 0 when it may pass. */
  waitMs(address: string): number
}

/** One a process, kept beside the clock it runs on, so that a test's virtual time has a limit of its own. */
const limits = new WeakMap<Clock, Limit>()

function limitOf(clock: Clock): Limit {
  let limit = limits.get(clock)
  if (!limit) {
    limit = addressLimit(clock)
    limits.set(clock, limit)
  }
  return limit
}

function addressLimit(clock: Clock): Limit {
  const addresses = new LRUCache<string, CellRate>({ max: 10_000 })
  const all: CellRate = { dueMs: 0 }
  return {
    waitMs(address) {
      let rate = addresses.get(address)
      if (!rate) {
        rate = { dueMs: 0 }
        addresses.set(address, rate)
      }
      const own = takeCell(rate, clock.elapsed(), perAddress.perMinute, perAddress.burst)
      if (!own.isAllowed) return own.waitMs
      return takeCell(all, clock.elapsed(), overall.perMinute, overall.burst).waitMs
    },
  }
}

function tooMany(waitMs: number): ApiError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  return new ApiError('rate_limit_exceeded', `Try again in ${retryAfterS} s.`, {
    retryAfterS,
  })
}
