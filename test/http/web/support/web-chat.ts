/** What tests of the web chat share: a gateway, tickets, and answers whose words the test lets go one by one. */
import { chunkOf, type EndpointCall, type ScriptedAnswer } from '../../../support/model-endpoint.ts'
import type { Talk } from '../../admin/conversations/support/talk.ts'
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
