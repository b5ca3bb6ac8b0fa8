/** Stands in for a transport that was chosen and has no address: every call is refused with the setting that is missing. */
import { ModelError } from './errors.ts'
import type { ModelTransport } from './transport.ts'

export function unconfiguredTransport(name: string, missing: string): ModelTransport {
  const refusal = () =>
    new ModelError('not_configured', `the ${name} model is chosen, and ${missing} does not say where it is`)
  return {
    name,
    stream: () => ({ done: Promise.reject(refusal()), resume() {} }),
    complete: () => Promise.reject(refusal()),
    async close() {},
  }
}
