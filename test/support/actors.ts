/** An actor system on virtual time, with a log that the test can read. */
import { msgpack } from '../../runtime/actor/codec.ts'
import { actorDefiner } from '../../runtime/actor/define.ts'
import { createSystem, type System } from '../../runtime/actor/system.ts'
import { seededRandom } from '../../runtime/random.ts'
import type { Tracer } from '../../runtime/telemetry/trace.ts'
import { exponential } from '../../runtime/time/backoff.ts'
import { type RecordedLine, recordingLog } from './recording-log.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'

export interface Journal {
  said: string[]
  /** Crashes to come: each handler or start that asks takes one. */
  failures: Error[]
}

export const defineTestActor = actorDefiner<Journal>()

/** Any text is a key. */
export const anyKey = { parse: (value: unknown): string => String(value) }

export const briefSupervision = { restarts: 3, withinMs: 1_000, backoff: exponential(50, 5_000) }

export interface TestSystem {
  system: System
  clock: VirtualClock
  journal: Journal
  lines: RecordedLine[]
}

export function testSystem(options: { tracer?: Tracer } = {}): TestSystem {
  const clock = virtualClock()
  const journal: Journal = { said: [], failures: [] }
  const { log, lines } = recordingLog()
  const system = createSystem({
    services: journal,
    log,
    clock,
    random: seededRandom(1),
    codec: msgpack,
    ...(options.tracer && { tracer: options.tracer }),
  })
  return { system, clock, journal, lines }
}
