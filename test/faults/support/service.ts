/** The service as a process of its own, with a scripted model behind it, started and ended as an operator would. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../../bench/process/free-port.ts'
import type { Database } from '../../../store/database.ts'
import { firstWorkspaceId } from '../../../store/id.ts'
import { builtService } from '../../support/built-service.ts'
import { testKey } from '../../support/gateway.ts'
import { type ModelEndpoint, modelEndpoint } from '../../support/model-endpoint.ts'
import { recentTurns } from '../../support/recent-turns.ts'
import { endSpawned, type Spawned, spawnNode } from '../../support/spawned.ts'

const bin = builtService()

export interface Service {
  readonly process: Spawned
  readonly url: string
  readonly endpoint: ModelEndpoint
  /** Chat with the test's key. */
  chat(body: object, headers?: Record<string, string>): Promise<Response>
  status(path: string): Promise<number>
}

/** Starts it, and resolves when it is ready. Started again with the same `endpoint` it is the same service. */
export async function startService(environment: Record<string, string>, endpoint?: ModelEndpoint): Promise<Service> {
  const behind = endpoint ?? (await newEndpoint())
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const process = spawnNode(bin, ['start', '--no-supervise'], {
    environment: {
      SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
      SERVICE_WEBUI_ADDR: '127.0.0.1:0',
      SERVICE_OUTGOING_ALLOWLIST: '127.0.0.0/8',
      SERVICE_BOOTSTRAP_KEY: testKey,
      SERVICE_LLM_GATEWAY_URL: behind.url,
      SERVICE_LLM_RETRIES: '0',
      ...environment,
    },
  })
  onTestFinished(endSpawned)
  const status = (path: string) =>
    fetch(url + path).then(
      (answer) => answer.status,
      () => 0,
    )
  await expect
    .poll(() => status('/readyz'), { interval: 20 })
    .toBe(200)
    .catch((error: Error) => {
      const { exitCode, signalCode } = process.child
      const ended = exitCode === null && signalCode === null ? 'still running' : `ended with ${signalCode ?? exitCode}`
      throw new Error(`it was not ready, ${ended}:\n${process.lines.map((line) => JSON.stringify(line)).join('\n')}`, {
        cause: error,
      })
    })
  return {
    process,
    url,
    endpoint: behind,
    status,
    chat: (body, headers = {}) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'some-model', messages: [{ role: 'user', content: 'hello' }], ...body }),
      }),
  }
}

async function newEndpoint(): Promise<ModelEndpoint> {
  const endpoint = await modelEndpoint()
  onTestFinished(() => endpoint.close())
  return endpoint
}

/** A folder for data that a database of another user can get through to. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'service-fault-'))
  await chmod(folder, 0o755)
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return join(folder, 'data')
}

/** How many turns have each status. */
export async function turnsByStatus(db: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const turns = await recentTurns(db, firstWorkspaceId, { before: null, limit: 10_000 })
  for (const { status } of turns) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
