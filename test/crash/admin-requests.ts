/** What a crash test sets up before its load. */
import type { LoadParts } from './load.ts'

/** @param policy further rules of the channel, such as its agent */
export function makeChannel(parts: LoadParts, name: string, policy: object = {}): Promise<void> {
  return make(parts, 'channels', {
    ...{ name, adapter: 'generic', config: { url: parts.world.webhookUrl } },
    policy: { attempts_max: 100, rate_per_s: 10_000, ...policy },
  })
}

export function makeAgent(parts: LoadParts, name: string, definition: object): Promise<void> {
  return make(parts, 'agents', { name, definition })
}

/** In force at every node half a minute later at the latest. */
export function makePrice(parts: LoadParts): Promise<void> {
  const units = { token_in: 1_000_000, token_out: 3_000_000 }
  const price = { model: 'm', currency: 'USD', from: '2020-01-01T00:00:00Z', units }
  return make(parts, 'prices/import', { prices: [price] })
}

async function make({ service, key }: LoadParts, what: string, body: object): Promise<void> {
  const response = await fetch(`${service.url()}/v1/admin/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`could not be made: ${what}: ${await response.text()}`)
}
