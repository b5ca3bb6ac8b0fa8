/** What tests of the web chat share: a gateway, tickets, and answers whose words the test lets go one by one. */
import { expect } from 'vitest'
import type { ConversationId } from '../../../../store/id.ts'
import { chunkOf, type EndpointCall, type ScriptedAnswer } from '../../../support/model-endpoint.ts'
import type { Body, Talk } from '../../admin/conversations/support/talk.ts'
import { readEvents, type SseReader } from '../../events/support/sse-reader.ts'
import { type ChatClient, chatSocket } from './chat-socket.ts'

export interface Ticket {
  ticket: string
  conversation_id: string
  expires_at: string
}

export async function ticketFor(our: Talk, conversation = 'new', more: object = {}): Promise<Ticket> {
  const made = await our.service.post('/v1/web/tickets', { conversation_id: conversation, ...more })
  if (made.status !== 201) throw new Error(`no ticket: ${made.status} ${await made.text()}`)
  return (await made.json()) as Ticket
}

/** An answer that stands still until the test says the next word. */
export interface ScriptedTurn {
  answer: ScriptedAnswer
  /** Resolves when the model is asked. */
  asked: Promise<EndpointCall>
  word(text: string): Promise<void>
  end(): Promise<void>
}

export function scriptedTurn(): ScriptedTurn {
  const asked = Promise.withResolvers<EndpointCall>()
  return {
    answer(call) {
      call.openStream()
      call.event(chunkOf({ role: 'assistant', content: '' }))
      asked.resolve(call)
    },
    asked: asked.promise,
    async word(text) {
      const call = await asked.promise
      call.event(chunkOf({ content: text }))
    },
    async end() {
      const call = await asked.promise
      call.event(chunkOf({}, { finish: 'stop' }))
      call.event('[DONE]')
      call.end()
    },
  }
}

/** Closes what a test has opened, however it went. */
export function visitors(our: () => Talk) {
  const open: { leave(): unknown }[] = []
  return {
    async watch(query: Record<string, string>, headers: Record<string, string> = {}): Promise<SseReader> {
      const reader = await readEvents(`${our().service.url}/v1/web/stream?${new URLSearchParams(query)}`, headers)
      open.push(reader)
      return reader
    },
    async chat(query: Record<string, string>): Promise<ChatClient> {
      const client = await chatSocket(our().service.url, query)
      open.push(client)
      return client
    },
    async leave() {
      for (const visitor of open.splice(0)) await visitor.leave()
    },
  }
}

export interface Chat {
  client: ChatClient
  id: ConversationId
  ticket: string
}

/** A socket that is ready, in a conversation of its own unless one is named. */
export async function chatIn(our: Talk, guests: ReturnType<typeof visitors>, conversation = 'new'): Promise<Chat> {
  const { ticket, conversation_id } = await ticketFor(our, conversation)
  const client = await guests.chat({ ticket })
  await client.untilKind('ready')
  return { client, id: conversation_id as ConversationId, ticket }
}

/** Nothing waits or runs there: what the next test scripts is for its own turns. */
export async function atRest(our: Talk, id: ConversationId): Promise<void> {
  const open = async () => {
    const { turns } = (await our.get(`conversations/turns?conversation_id=${id}&limit=200`)).body
    return turns.filter(({ status }: Body) => status === 'queued' || status === 'running').length
  }
  await expect.poll(open).toBe(0)
}
