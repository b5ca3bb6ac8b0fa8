/** A web chat's end of a WebSocket: the frames that have come so far, and waiting for what is still to come. */
import { expect } from 'vitest'
import type { Fields } from '../../events/support/sse-reader.ts'

export interface ChatClient {
  /** In the order they came. */
  readonly heard: Fields[]
  readonly closed: { code: number; reason: string } | undefined
  kinds(): string[]
  of(kind: string): Fields[]
  said(): string
  send(frame: object): void
  /** As it is. */
  sendRaw(data: string | Uint8Array): void
  until(condition: () => boolean, what?: string): Promise<void>
  /** Waits for so many frames of this kind. @returns the last of them */
  untilKind(kind: string, count?: number): Promise<Fields>
  /** The answer to the frame of this id. */
  answerTo(id: string): Promise<Fields>
  leave(): Promise<void>
}

/** @throws Error where the service does not open it */
export async function chatSocket(url: string, query: Record<string, string>): Promise<ChatClient> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/web/ws?${new URLSearchParams(query)}`)
  const heard: Fields[] = []
  let closed: ChatClient['closed']
  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the socket was not opened')))
  })
  socket.addEventListener('message', ({ data }) => heard.push(JSON.parse(String(data))))
  socket.addEventListener('close', ({ code, reason }) => {
    closed = { code, reason }
  })
  await opened
  const of = (kind: string) => heard.filter((frame) => frame.kind === kind)
  const until = (condition: () => boolean, what = 'the condition') =>
    expect.poll(condition, { interval: 5, message: `${what}; heard: ${heard.map(({ kind }) => kind)}` }).toBe(true)
  return {
    heard,
    get closed() {
      return closed
    },
    kinds: () => heard.map(({ kind }) => kind),
    of,
    said: () =>
      of('turn.delta')
        .map(({ text }) => text)
        .join(''),
    send: (frame) => socket.send(JSON.stringify(frame)),
    sendRaw: (data) => socket.send(data),
    until,
    async untilKind(kind, count = 1) {
      await until(() => of(kind).length >= count, `${count} of ${kind}`)
      return of(kind)[count - 1]
    },
    async answerTo(id) {
      const answer = () => heard.find((frame) => frame.id === id)
      await until(() => answer() !== undefined, `the answer to ${id}`)
      return answer()
    },
    async leave() {
      socket.close()
      await until(() => closed !== undefined, 'the close')
    },
  }
}
