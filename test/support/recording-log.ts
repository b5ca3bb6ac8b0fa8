/** A real pino log whose lines the test reads as objects, and the service from its tail. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Log } from '../../runtime/log/log.ts'
import { LogTail } from '../../runtime/log/tail.ts'

export interface RecordedLine {
  level: number
  msg: string
  [field: string]: unknown
}

export function recordingLog(level = 'debug'): { log: Log; lines: RecordedLine[]; tail: LogTail } {
  const lines: RecordedLine[] = []
  const tail = new LogTail({ linesMax: 10_000, bytesMax: 16_000_000 })
  const destination = new Writable({
    write(chunk, _encoding, done) {
      const line = JSON.parse(String(chunk)) as RecordedLine
      lines.push(line)
      tail.push(line.level, String(chunk).trimEnd())
      done()
    },
  })
  return { log: pino({ level }, destination), lines, tail }
}
