/** Which transport answers now: the configured endpoint, or the demonstration model. Follows live settings. */
import type { Settings } from '../config/settings.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import { type CallLimits, compatibleTransport } from './compatible/compatible.ts'
import { demonstrationTransport } from './demonstration.ts'
import { tokenCounter } from './tokens.ts'
import type { ModelTransport } from './transport.ts'

export interface ModelChooser {
  current(): ModelTransport
  /** Resolves when every call under way has ended, on whichever transport. */
  close(): Promise<void>
}

export interface ModelWorld {
  settings: Settings
  clock: Clock
  random: Random
  log: Log
  metrics?: Metrics
  tracer?: Tracer
}

/** What a transport is made for; the other keys of the group are read at each call. */
const endpointKeys = ['SERVICE_LLM_GATEWAY_URL', 'SERVICE_LLM_MODEL', 'SERVICE_LLM_API_KEY'] as const

export function modelChooser(world: ModelWorld): ModelChooser {
  const { settings, log } = world
  const tokens = tokenCounter(world)
  const closing = new Set<Promise<void>>()
  let transport = choose()

  const stopListening = settings.onChange((changed) => {
    if (!endpointKeys.some((key) => changed.has(key))) return
    const before = transport
    transport = choose()
    log.info({ from: before.name, to: transport.name }, 'the model endpoint was changed')
    // Calls under way end where they began.
    const closed = before.close().catch((error: unknown) => log.warn({ err: error }, 'model connections closed badly'))
    closing.add(closed)
    void closed.then(() => closing.delete(closed))
  })

  function choose(): ModelTransport {
    const baseUrl = settings.get('SERVICE_LLM_GATEWAY_URL')
    if (baseUrl === '') return demonstrationTransport(world.clock, tokens)
    return compatibleTransport(
      { baseUrl, apiKey: settings.get('SERVICE_LLM_API_KEY'), model: settings.get('SERVICE_LLM_MODEL') },
      limits,
      { ...world, tokens },
    )
  }

  function limits(): CallLimits {
    return {
      retries: settings.get('SERVICE_LLM_RETRIES'),
      timeoutMs: settings.get('SERVICE_LLM_CALL_TIMEOUT_S') * 1_000,
      temperature: settings.get('SERVICE_LLM_TEMPERATURE'),
      topP: settings.get('SERVICE_LLM_TOP_P'),
    }
  }

  return {
    current: () => transport,
    async close() {
      stopListening()
      await Promise.all([...closing, transport.close()])
      await tokens.close()
    },
  }
}
