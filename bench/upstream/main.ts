/** The scripted model endpoint, a process of its own: fast enough that it is not what is measured. */
import { App, type HttpResponse, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js'
import { wholeAnswer } from './answers.ts'
import { parseModelName } from './script.ts'
import { type Reader, streamBurst, streamCut, streamPaced } from './stream.ts'
import { type Told, toolTurn } from './tool-turn.ts'

interface ChatRequest {
  model: string
  messages: readonly Told[]
  stream_options?: { include_usage?: boolean }
}

const app = App().post('/v1/chat/completions', (response) => {
  const reader: Reader = { isGone: false }
  response.onAborted(() => {
    reader.isGone = true
  })
  let body = ''
  response.onData((part, isLast) => {
    body += Buffer.from(part).toString('utf8')
    if (isLast) answer(response, reader, JSON.parse(body) as ChatRequest)
  })
})

function answer(response: HttpResponse, reader: Reader, request: ChatRequest): void {
  const script = parseModelName(request.model)
  const wantsUsage = request.stream_options?.include_usage === true
  switch (script.kind) {
    case 'whole':
      whole(response, { status: 200, body: wholeAnswer })
      return
    case 'burst':
      streamBurst(response, reader, script.chunks, wantsUsage)
      return
    case 'paced':
      streamPaced(response, reader, script, wantsUsage)
      return
    case 'cut':
      streamCut(response, reader, script.chunks)
      return
    case 'tools':
      whole(response, toolTurn(script.steps, request.messages))
      return
    case 'hang':
      return
    case 'refuse': {
      const body = JSON.stringify({ error: { message: 'refused by the script', type: 'server_error' } })
      whole(response, { status: script.status, body })
      return
    }
  }
}

function whole(response: HttpResponse, { status, body }: { status: number; body: string }): void {
  response.cork(() =>
    response
      .writeStatus(status === 200 ? '200 OK' : `${status} Refused`)
      .writeHeader('content-type', 'application/json')
      .end(body),
  )
}

app.listen('127.0.0.1', 0, (socket) => {
  if (!socket) throw new Error('no port')
  process.send?.({ type: 'ready', port: us_socket_local_port(socket) })
  process.on('disconnect', () => {
    us_listen_socket_close(socket)
    process.exit(0)
  })
})
