/** The log: pino writes one JSON object a line, without secrets, bounded in depth and length. */
import { type ChildLoggerOptions, type DestinationStream, type Logger, pino } from 'pino'
import { logDestination } from './destination.ts'
import { plainFields } from './fields.ts'
import { scrub } from './redact.ts'
import type { LogTail } from './tail.ts'

/** Fields first, message second. Children follow the level of their root, also when it changes. */
export type Log = Logger

export interface LogOptions {
  /** trace, debug, info, warn, error, fatal or silent. Setting `log.level` changes it at once. */
  level: string
  /** Default: standard output, written in the background. */
  destination?: DestinationStream
  tail?: LogTail
}

/** Characters; a longer line is cut, so that one runaway message does not fill the disk. */
const lineLengthMax = 65_536
const beginningLength = 8_192

export function createLog({ level, destination = logDestination(), tail }: LogOptions): Log {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: plainFields },
      // plainFields has already made plain data of errors; pino's own serialiser would take it for an error again.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: safeLine },
    },
    tail ? copiedToTail(destination, tail) : destination,
  )
  // pino applies its formatter to the fields of calls, not to those of children.
  const { child } = log
  Object.defineProperty(log, 'child', {
    value: function makeChild(this: Log, bindings: Record<string, unknown>, options?: ChildLoggerOptions): Log {
      return Reflect.apply(child, this, [plainFields(bindings), options])
    },
  })
  return log
}

function safeLine(line: string): string {
  return line.length > lineLengthMax ? cut(line) : scrub(line)
}

/** The beginning of a line that is too long, as a line that parses. Scrubbed before it is cut: half a key has no key's shape. */
function cut(line: string): string {
  const beginning = scrub(line.slice(0, lineLengthMax)).slice(0, beginningLength)
  const level = beginning.match(/(?<=^\{"level":")[a-z]+/)?.[0]
  const time = beginning.match(/(?<="time":")[^"]+/)?.[0]
  return `${JSON.stringify({ level, time, msg: 'a log line was too long and was cut', length: line.length, beginning })}\n`
}

const needsMetadata = Symbol.for('pino.metadata')

/** pino tells a stream that asks for it the level of the line it is about to write. */
function copiedToTail(destination: DestinationStream, tail: LogTail): DestinationStream {
  const stream: DestinationStream & { lastLevel: number; [needsMetadata]: true } = {
    [needsMetadata]: true,
    lastLevel: 0,
    write(line) {
      tail.push(stream.lastLevel, line.trimEnd())
      destination.write(line)
    },
  }
  return stream
}
