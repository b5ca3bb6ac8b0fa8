/** Turns that are held open: each asks on a connection of its own and waits for an answer that does not come. */
import { chatBody, chatRequest } from './chat-request.ts'
import { ClientConnection } from './client-connection.ts'
import type { Endpoint } from './job.ts'

/** Opened together at most, so that no backlog of connections overflows. */
const openingMax = 100

export interface HangingTurns {
  /** @throws when one of them was answered or closed meanwhile: it was not held open then */
  check(): void
  /** Hangs up. */
  close(): void
}

export async function holdTurns(target: Endpoint, model: string, count: number): Promise<HangingTurns> {
  const request = chatRequest(target, chatBody(model, false))
  const connections: ClientConnection[] = []
  let isClosing = false
  let ended: Error | undefined
  const end = (reason: Error) => {
    if (!isClosing) ended ??= reason
  }

  async function holdOne(): Promise<void> {
    const connection = new ClientConnection(target)
    connections.push(connection)
    await connection.open()
    connection.exchange(request).then(
      (status) => end(new Error(`a turn that was to hang was answered ${status}`)),
      (error: Error) => end(error),
    )
  }

  function close(): void {
    isClosing = true
    for (const connection of connections) connection.close()
  }

  try {
    while (connections.length < count) {
      await Promise.all(Array.from({ length: Math.min(openingMax, count - connections.length) }, holdOne))
    }
  } catch (error) {
    close()
    throw error
  }
  return {
    check() {
      if (ended) throw ended
    },
    close,
  }
}
