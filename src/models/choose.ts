/** Which transport answers now: the configured endpoint, or the demonstration model. Follows live settings. */
import type { Settings } from '../config/settings.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log/log.ts'
import type { Random } from '../runtime/random.ts'
import { compatibleTransport } from './compatible.ts'
import { demonstrationTransport } from './demonstration.ts'
import type { ModelTransport } from './transport.ts'

export interface ModelChooser {
  current(): ModelTransport
  close(): Promise<void>
}

const endpointKeys = ['SERVICE_LLM_GATEWAY_URL', 'SERVICE_LLM_MODEL', 'SERVICE_LLM_API_KEY'] as const

export function modelChooser(world: { settings: Settings; clock: Clock; random: Random; log: Log }): ModelChooser {
  const { settings, log } = world
  let transport = choose()
  const closing = new Set<Promise<void>>()

  const stopListening = settings.onChange((changed) => {
    if (!endpointKeys.some((key) => changed.has(key))) return
    const before = transport
    transport = choose()
    // Calls under way end on the connections they have.
    const closed = before.close().catch((error: unknown) => log.debug({ err: error }, 'model connections closed badly'))
    closing.add(closed)
    closed.finally(() => closing.delete(closed))
  })

  function choose(): ModelTransport {
    const baseUrl = settings.get('SERVICE_LLM_GATEWAY_URL')
    if (baseUrl === '') return demonstrationTransport(world.clock)
    return compatibleTransport(
      { baseUrl, apiKey: settings.get('SERVICE_LLM_API_KEY'), model: settings.get('SERVICE_LLM_MODEL') },
      () => ({
        retries: settings.get('SERVICE_LLM_RETRIES'),
        timeoutMs: settings.get('SERVICE_LLM_CALL_TIMEOUT_S') * 1_000,
        temperature: settings.get('SERVICE_LLM_TEMPERATURE'),
        topP: settings.get('SERVICE_LLM_TOP_P'),
      }),
      world,
    )
  }

  return {
    current: () => transport,
    async close() {
      stopListening()
      await Promise.all([...closing, transport.close()])
    },
  }
}
