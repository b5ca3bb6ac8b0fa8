/** Load as a day brings it: whole answers, streams, readers who leave, endpoints that fail, requests that are wrong. */
import { setTimeout as pause } from 'node:timers/promises'
import { modelName, type Script } from '../upstream/script.ts'
import { chatBody, chatRequest } from './chat-request.ts'
import { ClientConnection } from './client-connection.ts'
import type { Endpoint } from './job.ts'
import { conversationIn } from './stored.ts'

export interface MixedLoad {
  /** Answers by status, and readers who left before the end. */
  readonly counts: Map<string, number>
  stop(): Promise<void>
}

const callers = { whole: 32, stream: 16, leave: 8, fail: 4, wrong: 4, store: 8 }

/** With 32 callers some 300 whole answers a second: about a tenth of what the service can do, for hours. */
const wholePauseMs = 100

export function startMixedLoad(target: Endpoint): MixedLoad {
  const counts = new Map<string, number>()
  let isOver = false
  const count = (what: string | number) => counts.set(String(what), (counts.get(String(what)) ?? 0) + 1)

  /** Each caller goes on until the end; one that fails otherwise than its task wants ends the soak. */
  const loop = async (turn: (connection: ClientConnection, round: number) => Promise<void>, pauseMs: number) => {
    const connection = new ClientConnection(target)
    for (let round = 0; !isOver; round++) {
      await turn(connection, round)
      await pause(pauseMs)
    }
    connection.close()
  }
  const many = (amount: number, turn: (connection: ClientConnection, round: number) => Promise<void>, pauseMs = 20) =>
    Array.from({ length: amount }, () => loop(turn, pauseMs))
  const request = (script: Script, isStream: boolean) => chatRequest(target, chatBody(modelName(script), isStream))

  const streamed = request({ kind: 'burst', chunks: 100 }, true)
  const paced = request({ kind: 'paced', chunks: 50, intervalMs: 10 }, true)
  const whole = request({ kind: 'whole' }, false)
  const failing = [
    request({ kind: 'refuse', status: 500 }, false),
    request({ kind: 'refuse', status: 429 }, true),
    request({ kind: 'cut', chunks: 5 }, true),
  ]
  const wrong = [
    chatRequest(target, '{"model":'),
    chatRequest(target, JSON.stringify({ model: 'm', messages: [] })),
    chatRequest({ ...target, headers: { authorization: 'Bearer sk-of-nobody' } }, chatBody('whole', false)),
  ]

  const loops = [
    ...many(
      callers.whole,
      async (connection) => {
        const status = await connection.exchange(whole)
        expectStatus(status, [200])
        count(status)
      },
      wholePauseMs,
    ),
    ...many(callers.stream, async (connection, round) => {
      expectStatus(await connection.exchange(round % 2 === 0 ? streamed : paced), [200])
      count('stream')
    }),
    ...many(callers.leave, async (connection) => {
      await leaveEarly(connection, paced)
      count('left')
    }),
    ...many(callers.fail, async (connection, round) => {
      count(await connection.exchange(failing[round % failing.length] as Buffer))
    }),
    ...many(callers.wrong, async (connection, round) => {
      const status = await connection.exchange(wrong[round % wrong.length] as Buffer)
      expectStatus(status, [400, 401, 429])
      count(status)
    }),
    ...many(callers.store, async (connection) => {
      let conversation: string | undefined
      for (let turn = 0; turn < 5 && !isOver; turn++) {
        const header = { 'x-service-conversation-id': conversation ?? 'new' }
        const sentRequest = chatRequest(target, chatBody(modelName({ kind: 'whole' }), false), header)
        const status = await connection.exchange(sentRequest, {
          head(_status, headers) {
            conversation = conversationIn(headers)
          },
        })
        expectStatus(status, [200])
        count('stored')
      }
    }),
  ]
  return {
    counts,
    async stop() {
      isOver = true
      await Promise.all(loops)
    },
  }
}

/** Reads a little of a stream, and goes. */
async function leaveEarly(connection: ClientConnection, request: Buffer): Promise<void> {
  let bytesSeen = 0
  await connection
    .exchange(request, {
      body(bytes) {
        bytesSeen += bytes.length
        if (bytesSeen > 1_000) connection.close(new Error('the reader left'))
      },
    })
    .catch(() => {}) // that is the point
}

function expectStatus(status: number, expected: readonly number[]): void {
  if (!expected.includes(status)) throw new Error(`answered ${status}, expected ${expected.join(' or ')}`)
}
