/**
 * The floor of chat: uWebSockets.js in, undici out, the bytes handed on as they are. No authentication, limit,
 * validation, actor or record. Streams obey backpressure, and a reader who is gone ends the call: less would not be a gateway.
 */

import { App, us_socket_local_port } from 'uWebSockets.js'
import { Pool } from 'undici'

const pool = new Pool(process.argv[2] ?? '', { connections: 4_096, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })

const app = App().post('/v1/chat/completions', (response) => {
  let isGone = false
  let abort = () => {}
  const sent: Buffer[] = []
  response.onAborted(() => {
    isGone = true
    abort()
  })
  response.onData((part, isLast) => {
    sent.push(Buffer.from(new Uint8Array(part)))
    if (!isLast) return
    let isStream = false
    const whole: Buffer[] = []
    pool.dispatch(
      {
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: sent.length === 1 && sent[0] ? sent[0] : Buffer.concat(sent),
      },
      {
        onRequestStart(controller) {
          abort = () => controller.abort(new Error('the reader is gone'))
          response.onWritable(() => {
            controller.resume()
            return true
          })
        },
        onResponseStart(_controller, status, headers) {
          if (isGone) return
          const type = String(headers['content-type'])
          isStream = type.startsWith('text/event-stream')
          response.cork(() => response.writeStatus(String(status)).writeHeader('content-type', type))
        },
        onResponseData(controller, bytes) {
          if (!isStream) whole.push(bytes)
          else if (!isGone) response.cork(() => response.write(bytes) || controller.pause())
        },
        onResponseEnd() {
          if (!isGone) response.cork(() => (isStream ? response.end() : response.end(Buffer.concat(whole))))
        },
        onResponseError() {
          if (!isGone) response.close()
        },
      },
    )
  })
})

/** The floor of intake: a message is read and acknowledged, and nothing is done with it. */
app.post('/v1/inbound', (response) => {
  response.onAborted(() => {})
  response.onData((_part, isLast) => {
    if (isLast) response.cork(() => response.writeStatus('202').end('{}'))
  })
})

// Several of them share a port.
app.listen('127.0.0.1', Number(process.argv[3] ?? 0), (socket) => {
  if (!socket) throw new Error('no port')
  process.send?.({ type: 'ready', port: us_socket_local_port(socket) })
  // Whoever measures was killed: nobody else would end this.
  process.on('disconnect', () => process.exit(0))
})
