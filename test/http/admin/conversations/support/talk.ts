/** A gateway with keys of several kinds, conversations to look at, and a model that repeats what it was asked. */
import { expect } from 'vitest'
import { keyDigest, keyHint, newKeyText } from '../../../../../http/auth/key-text.ts'
import { createApiKey } from '../../../../../store/api-keys/changes.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  newApiKeyId,
  newConversationId,
  newWorkspaceId,
  type WorkspaceId,
} from '../../../../../store/id.ts'
import type { Scope } from '../../../../../store/scopes.ts'
import { ensureWorkspace } from '../../../../../store/workspaces.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../../../support/gateway.ts'
import { completionOf, type EndpointCall, json, streamOf } from '../../../../support/model-endpoint.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers whose schema the route has checked
export type Body = any

export interface Answered {
  status: number
  body: Body
}

export interface Talk {
  service: GatewayUnderTest
  /** Of nothing but `admin:read`. */
  reader: string
  /** Of nothing but `chat`. */
  chatter: string
  /** Everything, in another workspace. */
  stranger: string
  elsewhere: WorkspaceId
  get(path: string, key?: string): Promise<Answered>
  post(what: string, body: unknown, key?: string): Promise<Answered>
  /** Says each text over the chat endpoint and hears the answer; in a conversation of its own unless one is given. */
  say(texts: string[], conversation?: ConversationId): Promise<ConversationId>
  /** The messages as the API tells them, once `isReady` says that they are all there. */
  messages(conversation: ConversationId, isReady?: (messages: Body[]) => boolean): Promise<Body[]>
  /** What the model was asked last: the contents of its messages. */
  lastAsked(): unknown[]
  /** The newest entry of the audit log. */
  lastAudit(): Promise<Body>
  stop(): Promise<void>
}

/** The last message of the request, said back. */
export function echo(call: EndpointCall): void | Promise<void> {
  const { messages, stream } = call.request.body as { messages: { content: string }[]; stream?: boolean }
  const answer = `re: ${messages.at(-1)?.content}`
  return stream ? streamOf([answer])(call) : json(completionOf(answer))(call)
}

export async function talk(environment: Record<string, string> = {}): Promise<Talk> {
  const service = await gatewayUnderTest(environment)
  service.endpoint.always(echo)
  const { db, url } = service
  const elsewhere = newWorkspaceId()
  await ensureWorkspace(db, elsewhere, 'elsewhere')

  async function keyWith(workspaceId: WorkspaceId, scopes: Scope[]): Promise<string> {
    const text = newKeyText()
    await createApiKey(db, {
      ...{ id: newApiKeyId(), workspaceId, name: 'test', kind: 'service', scopes, rateLimitRpm: null, expiresAt: null },
      ...{ hint: keyHint(text), hash: Buffer.from(keyDigest(text), 'hex'), createdBy: 'test' },
    })
    return text
  }

  async function ask(key: string, path: string, body?: unknown): Promise<Answered> {
    const answer = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }

  const get = (path: string, key = testKey) => ask(key, `/v1/admin/${path}`)
  const header = 'x-service-conversation-id'

  return {
    service,
    reader: await keyWith(firstWorkspaceId, ['admin:read']),
    chatter: await keyWith(firstWorkspaceId, ['chat']),
    stranger: await keyWith(elsewhere, ['*']),
    elsewhere,
    get,
    post: (what, body, key = testKey) => ask(key, `/v1/admin/conversations/${what}`, body),
    async say(texts, conversation) {
      let id: string = conversation ?? 'new'
      for (const content of texts) {
        const body = { model: 'm', messages: [{ role: 'user', content }] }
        const answer = await service.post('/v1/chat/completions', body, { [header]: id })
        expect(answer.status).toBe(200)
        await answer.text()
        id = answer.headers.get(header) ?? ''
      }
      return id as ConversationId
    },
    async messages(conversation, isReady = () => true) {
      const path = `conversations/messages?id=${conversation}&limit=200`
      await expect.poll(async () => isReady((await get(path)).body.messages)).toBe(true)
      return (await get(path)).body.messages
    },
    lastAsked: () =>
      // Behind the agent's own prompt.
      service.endpoint.requests
        .at(-1)
        ?.body.messages.filter(({ role }: Body) => role !== 'system')
        .map(({ content }: Body) => content),
    lastAudit: async () => (await get('audit?limit=1')).body.items[0],
    stop: () => service.stop(),
  }
}

/** Whoever lacks the scope, is of another workspace, asks for what is not there, or says nonsense. */
export async function refusesOthers(
  to: Pick<Talk, 'post' | 'reader' | 'chatter' | 'stranger'>,
  what: string,
  body: Record<string, unknown>,
  unknown: Record<string, unknown> = { conversation_id: newConversationId() },
): Promise<void> {
  const forbidden = { status: 403, body: { error: { type: 'permission_error', code: 'forbidden' } } }
  expect(await to.post(what, body, to.reader)).toMatchObject(forbidden)
  expect(await to.post(what, body, to.chatter)).toMatchObject(forbidden)
  expect(await to.post(what, body, 'sk-nobody-has-this-key-at-all')).toMatchObject({ status: 401 })
  const missing = { status: 404, body: { error: { type: 'not_found_error', code: 'not_found' } } }
  expect(await to.post(what, body, to.stranger)).toMatchObject(missing)
  expect(await to.post(what, { ...body, ...unknown })).toMatchObject(missing)
  for (const malformed of [
    '{',
    '[]',
    {},
    { ...body, ...Object.fromEntries(Object.keys(unknown).map((name) => [name, 'x'])) },
  ])
    expect(await to.post(what, malformed)).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', code: 'bad_request' } },
    })
}
