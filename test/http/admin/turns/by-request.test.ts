/** A turn is found by the name that its caller gave the request, also while it runs. */
import { expect, it } from 'vitest'
import { gatewayUnderTest, until } from '../../../support/gateway.ts'
import { hang } from '../../../support/model-endpoint.ts'

it('a turn is found by the name of its request while nothing of its answer is there yet', async () => {
  const service = await gatewayUnderTest()
  try {
    const found = async (name: string) => {
      const answer = await service.get(`/v1/admin/turns?request_id=${name}`)
      return ((await answer.json()) as { items: { status: string; conversation_id: string | null }[] }).items
    }
    service.endpoint.script(hang)
    const caller = new AbortController()
    const body = { model: 'any', messages: [{ role: 'user', content: 'hello' }], stream: true }
    const named = { 'x-request-id': 'mine-1' }
    const asked = service.post('/v1/chat/completions', body, named, caller.signal).catch(() => undefined)
    await until(async () => (await found('mine-1')).length === 1)
    expect(await found('mine-1')).toMatchObject([{ status: 'running', conversation_id: null }])
    expect(await found('mine-2')).toEqual([])
    caller.abort()
    await asked
    await until(async () => (await found('mine-1'))[0]?.status === 'cancelled')
  } finally {
    await service.stop()
  }
}, 20_000)
