/** Operators in a crash test: they decide what waits for approval, each through any node, and often the same at once. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../runtime/random.ts'

export interface Decided {
  approvalId: string
  decision: 'approve' | 'refuse'
}

export interface Operators {
  /** What the service said 200 to. */
  readonly decided: readonly Decided[]
  stop(): Promise<void>
}

const operatorsCount = 2
const lookMs = 200
const answerMsMax = 5_000
const approvedShare = 0.8

export function operators(options: { url: () => string; key: string; random: Random }): Operators {
  const { url, key, random } = options
  const decided: Decided[] = []
  let isStopping = false

  function request(path: string, body?: object): Promise<Response> {
    return fetch(`${url()}/v1/admin/approvals${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerMsMax),
    })
  }

  async function decidePending(): Promise<void> {
    const { items } = (await (await request('?status=pending&limit=200')).json()) as { items?: { id: string }[] }
    for (const { id } of items ?? []) {
      const decision = random.next() < approvedShare ? 'approve' : 'refuse'
      const response = await request('/decide', { approval_id: id, decision })
      await response.arrayBuffer()
      if (response.status === 200) decided.push({ approvalId: id, decision })
    }
  }

  async function work(): Promise<void> {
    while (!isStopping) {
      // What cannot be reached now is decided at the next look.
      await decidePending().catch(() => undefined)
      await wait(lookMs)
    }
  }

  const all = Promise.all(Array.from({ length: operatorsCount }, work))
  return {
    decided,
    async stop() {
      isStopping = true
      await all
    },
  }
}
