/** A real pino log whose lines the test reads as objects. */
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Log } from '../../src/runtime/log/log.ts'

export interface RecordedLine {
  level: number
  msg: string
  [field: string]: unknown
}

export function recordingLog(level = 'debug'): { log: Log; lines: RecordedLine[] } {
  const lines: RecordedLine[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { log: pino({ level }, destination), lines }
}
