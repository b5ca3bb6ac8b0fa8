/** Web chats over WebSockets: all of them open, each says something now and then and waits for the whole answer. */
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'
import type { Job } from './job.ts'
import { type PhaseListeners, runPhases } from './phases.ts'

const openingMax = 100

export async function socketLoad(job: Job & { kind: 'sockets' }, listeners: PhaseListeners): Promise<Figures> {
  const { host, port, headers } = job.target
  const sockets: WebSocket[] = []
  const openedMs: number[] = []
  async function openOne(): Promise<void> {
    const answer = await fetch(`http://${host}:${port}/v1/web/tickets`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    })
    const { ticket } = (await answer.json()) as { ticket: string }
    const startedMs = performance.now()
    const socket = new WebSocket(`ws://${host}:${port}/v1/web/ws?ticket=${ticket}`)
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve()
      socket.onerror = () => reject(new Error('a socket was not opened'))
    })
    openedMs.push(performance.now() - startedMs)
    sockets.push(socket)
  }
  while (sockets.length < job.sockets) {
    await Promise.all(Array.from({ length: Math.min(openingMax, job.sockets - sockets.length) }, openOne))
  }
  const tookMs: number[] = []
  let ended = 0
  const phases = await runPhases({ ...job, ...listeners }, async (now, index) => {
    // Its own share of them, so that no two turns meet on one.
    const mine = sockets.filter((_, at) => at % job.connections === index)
    for (let turn = 0; !now.isOver; turn++) {
      const socket = mine[turn % mine.length]
      if (!socket) return
      const startedMs = performance.now()
      await turnOver(socket)
      if (now.isMeasuring) ended++
      if (now.isMeasuring || now.isOver) tookMs.push(performance.now() - startedMs)
    }
  })
  for (const socket of sockets) socket.close()
  return {
    turnsPerS: ended / phases.measuredS,
    turnP50Ms: percentile(tookMs, 50),
    turnP99Ms: percentile(tookMs, 99),
    openP99Ms: percentile(openedMs, 99),
  }
}

/** Resolves when the answer is stored. */
function turnOver(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.onmessage = ({ data }) => {
      const { kind } = JSON.parse(String(data)) as { kind: string }
      if (kind === 'turn.completed') resolve()
      else if (kind === 'error' || kind === 'turn.failed') reject(new Error(`a turn ended with ${String(data)}`))
    }
    socket.onclose = () => reject(new Error('a socket was closed'))
    socket.send('{"type":"send","text":"hello"}')
  })
}
