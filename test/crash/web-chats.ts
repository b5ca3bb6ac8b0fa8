/** Web chats in a crash test: a socket that writes and one that only watches, each at any node, which come back with their cursors. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../runtime/random.ts'

export interface HeardFrame {
  kind: string
  cursor?: string
  [field: string]: unknown
}

export interface WebChat {
  conversationId: string
  /** What the service said ok to, in order. */
  accepted: { text: string; messageId: string }[]
  /** Sent, and no answer came or an error: it may be stored, or not. */
  unsure: string[]
  /** What each of its sockets heard, over all its connections. */
  heard: { name: string; frames: HeardFrame[]; answers: number; connections: number }[]
}

export interface WebChats {
  readonly chats: readonly WebChat[]
  /** Nothing more is written. */
  stop(): Promise<void>
  close(): void
}

const answerMsMax = 10_000
const retryMs = 30
/** At most, between two messages of one chat. */
const pauseMsMax = 700
/** Messages of one chat that wait for their answers. */
const aheadMax = 3
const ticketS = 3_600

interface Options {
  url: () => string
  key: string
  count: number
  random: Random
}

export async function webChats(options: Options): Promise<WebChats> {
  const { count, random } = options
  const halt = new AbortController()
  const chats: WebChat[] = []
  const writing: Promise<void>[] = []
  let isStopping = false

  async function writeAll(name: string, chat: WebChat, socket: Socket): Promise<void> {
    for (let at = 0; !isStopping; at++) {
      const text = `${name} writes ${at}`
      const messageId = await socket.send(text)
      if (messageId) chat.accepted.push({ text, messageId })
      else chat.unsure.push(text)
      await wait(messageId ? random.next() * pauseMsMax : retryMs)
      const [own] = chat.heard
      while (own && !isStopping && chat.accepted.length - own.answers >= aheadMax) await wait(retryMs)
    }
  }

  for (let at = 0; at < count; at++) {
    const { ticket, conversation_id: conversationId } = await makeTicket(options)
    const chat: WebChat = { conversationId, accepted: [], unsure: [], heard: [] }
    chats.push(chat)
    const sockets = ['writer', 'watcher'].map((what) => {
      const heard = { name: `chatter-${at} ${what}`, frames: [], answers: 0, connections: 0 }
      chat.heard.push(heard)
      return keepConnected({ url: options.url, ticket, heard, halt: halt.signal, isStopping: () => isStopping })
    })
    // Without a cursor a feed begins with what comes after it is ready.
    while (chat.heard.some(({ connections }) => connections === 0)) await wait(retryMs)
    writing.push(writeAll(`chatter-${at}`, chat, sockets[0] as Socket))
  }
  return {
    chats,
    async stop() {
      isStopping = true
      await Promise.all(writing)
    },
    close: () => halt.abort(),
  }
}

async function makeTicket({ url, key }: Options): Promise<{ ticket: string; conversation_id: string }> {
  const response = await fetch(`${url()}/v1/web/tickets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ ttl_s: ticketS }),
  })
  if (response.status !== 201) throw new Error(`no ticket was issued: ${response.status}`)
  return (await response.json()) as { ticket: string; conversation_id: string }
}

interface Socket {
  /** @returns the id of the stored message; undefined: nobody knows */
  send(text: string): Promise<string | undefined>
}

interface Connection {
  url: () => string
  ticket: string
  heard: WebChat['heard'][number]
  halt: AbortSignal
  isStopping(): boolean
}

function keepConnected({ url, ticket, heard, halt, isStopping }: Connection): Socket {
  const answers = new Map<string, (messageId: string | undefined) => void>()
  let socket: WebSocket | undefined
  let cursor = ''
  let sent = 0

  function hear(frame: HeardFrame): void {
    if (frame.cursor) cursor = frame.cursor
    if (frame.kind === 'ready') heard.connections++
    if (frame.kind === 'ok') answers.get(String(frame['id']))?.(String(frame['message_id']))
    else if (frame.kind === 'error') answers.get(String(frame['id']))?.(undefined)
    else heard.frames.push(frame)
    if (frame.kind === 'message.created' && frame['role'] === 'assistant') heard.answers++
  }

  async function connectOnce(): Promise<void> {
    const query = new URLSearchParams({ ticket, ...(cursor && { cursor }) })
    const opened = new WebSocket(`${url().replace('http', 'ws')}/v1/web/ws?${query}`)
    const closed = new Promise((resolve) => {
      opened.addEventListener('close', resolve)
      // One that could not be opened is not always closed as well.
      opened.addEventListener('error', resolve)
    })
    const close = () => opened.close()
    halt.addEventListener('abort', close)
    opened.addEventListener('open', () => {
      socket = opened
    })
    opened.addEventListener('message', ({ data }) => hear(JSON.parse(String(data)) as HeardFrame))
    await closed
    halt.removeEventListener('abort', close)
    socket = undefined
    for (const answer of answers.values()) answer(undefined)
  }

  async function connectAlways(): Promise<void> {
    while (!halt.aborted) {
      await connectOnce()
      await wait(retryMs)
    }
  }

  void connectAlways()
  return {
    async send(text) {
      while (!socket && !isStopping()) await wait(retryMs)
      if (!socket) return undefined
      const id = String(sent++)
      const answer = Promise.withResolvers<string | undefined>()
      answers.set(id, answer.resolve)
      const timeout = setTimeout(() => answer.resolve(undefined), answerMsMax)
      socket.send(JSON.stringify({ type: 'send', id, text }))
      const messageId = await answer.promise
      clearTimeout(timeout)
      answers.delete(id)
      return messageId
    },
  }
}
