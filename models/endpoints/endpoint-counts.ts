/** Counts the calls to each endpoint and those that it failed, until somebody takes the counts. */
import { ModelError } from '../errors.ts'
import { isOfEndpoint } from '../http/failure-log.ts'
import type { ModelTransport } from '../transport.ts'

export interface EndpointCount {
  endpoint: string
  calls: number
  failed: number
}

export interface EndpointCounts {
  /** The same transport, counted under this name. */
  counted(endpoint: string, transport: ModelTransport): ModelTransport
  /** Those since the last time. */
  take(): EndpointCount[]
}

export function endpointCounts(): EndpointCounts {
  let counts = new Map<string, EndpointCount>()

  function ended(endpoint: string, hasFailed: boolean): void {
    const count = counts.get(endpoint) ?? { endpoint, calls: 0, failed: 0 }
    counts.set(endpoint, count)
    count.calls++
    if (hasFailed) count.failed++
  }

  function watch<End>(endpoint: string, call: Promise<End>): Promise<End> {
    call.then(
      () => ended(endpoint, false),
      (error: unknown) => {
        if (error instanceof ModelError && isOfEndpoint(error.code)) ended(endpoint, true)
      },
    )
    return call
  }

  return {
    counted: (endpoint, transport) => ({
      ...transport,
      complete: (request) => watch(endpoint, transport.complete(request)),
      stream(request, sink) {
        const call = transport.stream(request, sink)
        void watch(endpoint, call.done)
        return call
      },
    }),
    take() {
      const taken = [...counts.values()]
      counts = new Map()
      return taken
    },
  }
}
