/** Which of several gateways of this machine are ready: each is asked for `/readyz` again and again. */
import { setTimeout as pause } from 'node:timers/promises'

export interface ReadyPorts {
  /** In the order in which they were given. */
  readonly ports: readonly number[]
  stop(): void
}

const lookMs = 200
const answerMsMax = 1_000

export function readyPorts(ports: readonly number[]): ReadyPorts {
  const stopping = new AbortController()
  let ready: readonly number[] = []
  async function look(): Promise<void> {
    while (!stopping.signal.aborted) {
      const answers = await Promise.all(ports.map(isReady))
      ready = ports.filter((_port, at) => answers[at])
      await pause(lookMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  void look()
  return {
    get ports() {
      return ready
    },
    stop: () => stopping.abort(),
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(answerMsMax) })
    await answer.arrayBuffer()
    return answer.status === 200
  } catch {
    return false
  }
}
