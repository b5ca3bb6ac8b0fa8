/** Is the gateway's port free, or does the service answer on it? */
import { createServer } from 'node:net'
import type { Settings } from '../../config/settings.ts'
import { parseListenAddress } from '../../http/server/listen-address.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const answerMs = 2_000

/** @param isFound the database has a service that runs here */
export async function checkPort(settings: Settings, isFound: boolean): Promise<Finding> {
  const text = settings.get('SERVICE_GATEWAY_ADDR')
  const { host, port } = parseListenAddress(text)
  if (await answersAsUs(host, port))
    return isFound
      ? ok('port', `the service answers on ${text}`)
      : warning(
          'port',
          `a service answers on ${text}, and not one of the database that was looked at: it was not judged`,
          'Run this in the folder, and with the SERVICE_DATA_DIR and SERVICE_DATABASE_URL, of that service.',
        )
  const problem = await bindProblem(host, port)
  if (problem === undefined) return ok('port', `${text} is free`)
  return problem === 'EADDRINUSE'
    ? failed(
        'port',
        `${text} is in use by another program`,
        'Stop that program, or set SERVICE_GATEWAY_ADDR to another port.',
      )
    : failed(
        'port',
        `${text} cannot be bound (${problem})`,
        'Set SERVICE_GATEWAY_ADDR to an address of this machine and a port above 1023.',
      )
}

async function answersAsUs(host: string | undefined, port: number): Promise<boolean> {
  const name =
    host === undefined || host === '' || host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  try {
    const answer = await fetch(`http://${name}:${port}/v1/ping`, { signal: AbortSignal.timeout(answerMs) })
    // A site that answers every path with a page says 200 too.
    return answer.ok && ((await answer.json()) as { ok?: unknown } | null)?.ok === true
  } catch {
    return false // nothing listens, or another program does: binding the port tells
  }
}

function bindProblem(host: string | undefined, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen({ port, ...(host && { host }) }, () => probe.close(() => resolve(undefined)))
  })
}
