/** The service for the pictures: a separate process on the built-in database in a temporary folder, and its first operator. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Service {
  apiUrl: string
  uiUrl: string
  setupCode: string
  dataDir: string
  /** With every scope. */
  key: string
  stop(): Promise<void>
}

const readyWithinMs = 120_000
const pollMs = 100
/** With every scope. */
export const firstKey = 'sk-key-of-the-pictures-0123456789'

export async function startService(environment: Record<string, string>): Promise<Service> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'service-pictures-')))
  // Under root the built-in database runs as an unprivileged user, who must be able to enter the folder.
  chmodSync(folder, 0o755)
  const dataDir = join(folder, 'data')
  let output = ''
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../bin/service.js', import.meta.url)), 'start', '--no-supervise'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        SERVICE_DATA_DIR: dataDir,
        SERVICE_GATEWAY_ADDR: '127.0.0.1:0',
        SERVICE_WEBUI_ADDR: '127.0.0.1:0',
        SERVICE_OUTGOING_ALLOWLIST: '127.0.0.0/8',
        SERVICE_BOOTSTRAP_KEY: firstKey,
        ...environment,
      },
    },
  )
  child.stdout.on('data', (bytes) => {
    output += String(bytes)
  })
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const found = async (pattern: RegExp): Promise<string> => {
    const untilMs = Date.now() + readyWithinMs
    while (Date.now() < untilMs && child.exitCode === null) {
      const match = pattern.exec(output)?.[1]
      if (match) return match
      await wait(pollMs)
    }
    await stop()
    throw new Error(`the service did not print ${pattern}:\n${output}`)
  }
  const setupCode = await found(/\n\s+([A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4})\n/)
  const uiPort = await found(/"port":(\d+),"msg":"the admin UI is served"/)
  const apiPort = await found(/"port":(\d+),[^\n]*"msg":"ready"/)
  return {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    setupCode,
    dataDir,
    key: firstKey,
    stop,
  }
}

export interface Operator {
  /** Name and value of the session's cookie. */
  cookie: [string, string]
  // Callers check the answer's shape.
  get(path: string): Promise<Record<string, unknown>>
  post(path: string, body: object): Promise<Record<string, unknown>>
}

/** The first operator, signed in. Every refusal throws: pictures of incomplete data would mislead. */
export async function firstOperator({ apiUrl, uiUrl, setupCode }: Service): Promise<Operator> {
  let cookie = ''
  let csrf = ''
  async function send(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: { cookie, origin: uiUrl, 'x-csrf-token': csrf, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie
    const answer = JSON.parse(text) as Record<string, unknown>
    if (typeof answer['csrf_token'] === 'string') csrf = answer['csrf_token']
    return answer
  }
  await send('POST', '/v1/admin/auth/setup', {
    code: setupCode,
    login: 'ada',
    name: 'Ada Lind',
    password: 'correct horse battery',
  })
  const [name = '', value = ''] = cookie.split('=')
  return { cookie: [name, value], get: (path) => send('GET', path), post: (path, body) => send('POST', path, body) }
}
