/**
 * A gateway whose agents act on the outside world: an application that counts what is done to it, a channel whose answers
 * arrive somewhere, and an operator who decides.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { type GatewayUnderTest, type GatewayUnderTestOptions, gatewayUnderTest } from '../../../support/gateway.ts'
import { type WebhookReceiver, webhookReceiver } from '../../channel/support/webhook-receiver.ts'
import type { RequestedCall } from '../../turn/support/agents.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers whose schema the route has checked
export type Body = any

export interface Effects {
  host: string
  /** Paths that were called, in order. */
  made: string[]
  /** The next calls get no answer until they are let go. */
  hold(): () => void
  /** What is answered. */
  says: string
  close(): Promise<void>
}

export async function effectsServer(): Promise<Effects> {
  const made: string[] = []
  let outage: Promise<void> | undefined
  const server = createServer(async (request, response) => {
    made.push(request.url ?? '')
    await outage
    response.writeHead(200, { 'content-type': 'text/plain' }).end(effects.says)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const effects: Effects = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    made,
    hold() {
      const gate = Promise.withResolvers<void>()
      outage = gate.promise
      return () => {
        outage = undefined
        gate.resolve()
      }
    },
    says: 'done',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return effects
}

export interface Supervised {
  service: GatewayUnderTest
  effects: Effects
  receiver: WebhookReceiver
  /** A call that has an effect, once. */
  effect(path: string, id?: string): RequestedCall
  makeChannel(name: string, policy?: object): Promise<void>
  /** A message in a channel. @returns its conversation */
  say(channel: string, sender: string, text: string): Promise<string>
  pending(count?: number): Promise<Body[]>
  decide(approvalId: string, decision: 'approve' | 'refuse', reason?: string): Promise<{ status: number; body: Body }>
  /** Status of each turn of the conversation, in order; waits until they are as given. */
  turns(conversation: string, wanted: string[]): Promise<void>
  /** What was said, in the order of turns. */
  said(conversation: string): Promise<string[]>
  /** Tool calls of the workspace, by name and status, in order. */
  calls(): Promise<string[]>
  /** When each step of the turn that is closed began, in their order. */
  times(turn: string): Promise<Date[]>
  stop(): Promise<void>
}

export async function supervised(
  environment: Record<string, string> = {},
  options: GatewayUnderTestOptions & { effects?: Effects; receiver?: WebhookReceiver } = {},
): Promise<Supervised> {
  const effects = options.effects ?? (await effectsServer())
  const receiver = options.receiver ?? (await webhookReceiver())
  const service = await gatewayUnderTest(
    {
      SERVICE_APPROVAL_TOOLS: 'http_request',
      SERVICE_HTTP_ALLOWLIST: effects.host,
      SERVICE_INBOUND_REQUIRE_BINDING: 'false',
      ...environment,
    },
    options,
  )
  const { db } = service

  return {
    service,
    effects,
    receiver,
    effect: (path, id) => ({
      name: 'http_request',
      arguments: { method: 'POST', url: `http://${effects.host}${path}`, body: 'x' },
      ...(id && { id }),
    }),
    async makeChannel(name, policy = {}) {
      const made = await service.post('/v1/admin/channels', {
        name,
        adapter: 'generic',
        config: { url: receiver.url },
        policy,
      })
      expect(made.status, await made.text()).toBe(201)
    },
    async say(channel, sender, text) {
      const accepted = await service.post(`/v1/inbound/${channel}`, { external_id: sender, text })
      expect(accepted.status).toBe(202)
      return ((await accepted.json()) as Body).conversation_id
    },
    async pending(count = 1) {
      return await poll(
        async () => ((await (await service.get('/v1/admin/approvals?status=pending')).json()) as Body).items,
        (items: Body[]) => items.length === count,
      )
    },
    async decide(approvalId, decision, reason) {
      const body = { approval_id: approvalId, decision, ...(reason && { reason }) }
      const answer = await service.post('/v1/admin/approvals/decide', body)
      return { status: answer.status, body: await answer.json() }
    },
    async turns(conversation, wanted) {
      await poll(
        () => db.system<{ status: string }>`
          select status from turns where conversation_id = ${conversation.slice('conv_'.length)}::uuid order by seq`,
        (rows) => rows.map(({ status }) => status).join() === wanted.join(),
      )
    },
    async said(conversation) {
      const rows = await db.system<{ text: string }>`
        select body ->> 'content' as text from messages where conversation_id = ${conversation.slice('conv_'.length)}::uuid
        order by coalesce(turn_seq, seq), seq`
      return rows.map(({ text }) => text)
    },
    async calls() {
      const rows = await db.system<{ call: string }>`
        select name || ' ' || status as call from turn_steps where kind = 'tool' order by turn_id, path, n`
      return rows.map(({ call }) => call)
    },
    async times(turn) {
      const rows = await db.system<{ at: Date }>`
        select started_at as at from turn_steps
        where turn_id = ${turn.slice('turn_'.length)}::uuid and status = 'succeeded' order by path, n`
      return rows.map(({ at }) => at)
    },
    async stop() {
      await service.stop()
      if (!options.effects) await effects.close()
      if (!options.receiver) await receiver.close()
    },
  }
}

/** Looks again until it is as wanted; what it was last is in the failure. */
export async function poll<Value>(look: () => Promise<Value>, isWanted: (value: Value) => boolean): Promise<Value> {
  let last: Value | undefined
  const isThere = async () => {
    last = await look()
    return isWanted(last) ? 'as wanted' : JSON.stringify(last)
  }
  await expect.poll(isThere, { interval: 15 }).toBe('as wanted')
  return last as Value
}
