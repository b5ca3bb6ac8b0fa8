/**
 * Whether NATS answers at an address, before its client connects: the client (3.4.0) leaves the socket of a server that takes
 * the connection and says nothing open for ever, one an attempt.
 */
import { connect } from 'node:net'

const answerMs = 5_000

/** @throws where nothing answers, or not as NATS does */
export function greeted({ host, port }: { host: string; port: number }, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal })
    socket.setTimeout(answerMs, () => socket.destroy(new Error(`no answer within ${answerMs} ms`)))
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (!'INFO '.startsWith(text.slice(0, 5))) socket.destroy(new Error('what answers there is not NATS'))
      else if (text.length >= 5) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => {
      if (text.startsWith('INFO ')) resolve()
      else reject(new Error('the connection was closed without an answer'))
    })
  })
}
