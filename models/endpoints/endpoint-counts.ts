/** Counts the calls to each endpoint and those that it failed, until somebody takes the counts. */
import { ModelError, type ModelErrorCode } from '../errors.ts'
import { isOfEndpoint } from '../http/failure-log.ts'
import type { ModelTransport } from '../transport.ts'

export interface EndpointCount {
  endpoint: string
  calls: number
  failed: number
  /** Of them, those in which it refused our key. */
  refused: number
}

export interface EndpointCounts {
  /** The same transport, counted under this name. */
  counted(endpoint: string, transport: ModelTransport): ModelTransport
  /** Those since the last time. */
  take(): EndpointCount[]
}

export function endpointCounts(): EndpointCounts {
  let counts = new Map<string, EndpointCount>()

  function ended(endpoint: string, failure?: ModelErrorCode): void {
    const count = counts.get(endpoint) ?? { endpoint, calls: 0, failed: 0, refused: 0 }
    counts.set(endpoint, count)
    count.calls++
    if (failure) count.failed++
    if (failure === 'endpoint_credentials') count.refused++
  }

  function watch<End>(endpoint: string, call: Promise<End>): Promise<End> {
    call.then(
      () => ended(endpoint),
      (error: unknown) => {
        if (error instanceof ModelError && isOfEndpoint(error.code)) ended(endpoint, error.code)
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
