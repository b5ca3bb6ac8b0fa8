/** Stands in for a provider that is chosen and has no address: every call is refused with the name of the missing setting. */
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
