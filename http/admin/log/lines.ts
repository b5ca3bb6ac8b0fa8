/** Lines of the log as the API shows them, and their filter. Secrets were removed when the lines were written. */
import { z } from 'zod'
import type { LogTail, TailLine } from '../../../runtime/log/tail.ts'
import { ApiError } from '../../error.ts'

export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
type Level = (typeof levels)[number]

/** pino's numbers. */
const numberOf: Readonly<Record<Level, number>> = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 }

export const LogLine = z.object({
  node: z.int().describe('The node that wrote it.'),
  id: z.int().describe('Counts from 1 at the start of the node.'),
  time: z.iso.datetime(),
  level: z.string(),
  msg: z.string(),
  fields: z.record(z.string(), z.unknown()),
})
export type LogLine = z.infer<typeof LogLine>

export const logFilter = {
  level: z.enum(levels).default('trace').describe('The lowest level.'),
  search: z.string().max(200).default('').describe('A text anywhere in the line, in any case.'),
}

export interface LogFilter {
  level: Level
  search: string
}

/** @returns whether a line passes */
export function filterOf({ level, search }: LogFilter): (line: TailLine) => boolean {
  const levelMin = numberOf[level]
  const text = search.toLowerCase()
  return (line) => line.level >= levelMin && (text === '' || line.line.toLowerCase().includes(text))
}

export function logLine({ seq, time, level, line }: TailLine): Omit<LogLine, 'node'> {
  const { level: _level, time: _time, msg, ...fields } = parsed(line)
  return {
    id: seq,
    time: new Date(time).toISOString(),
    level: levels.findLast((name) => numberOf[name] <= level) ?? 'trace',
    msg: typeof msg === 'string' ? msg : '',
    fields,
  }
}

/** Every line should be JSON; another one becomes the message. */
function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : { msg: line }
  } catch {
    return { msg: line }
  }
}

/** @throws ApiError 503 where no lines are kept in memory */
export function tailOf(app: { logOfNodes: { own: LogTail | undefined } }): LogTail {
  if (app.logOfNodes.own) return app.logOfNodes.own
  throw new ApiError('log_not_kept', 'This process keeps no lines of its log in memory.')
}
