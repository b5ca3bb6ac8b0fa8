/**
 * A reader of one page: a shell in a fresh checkout, with the page's commands typed into it one after the other. Ports of
 * the docs are free ones here, and curl tells the statuses that it got; a stream without end is left after a moment, as a
 * reader leaves it with Ctrl+C.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { packageFolder } from '../../runtime/package.ts'

const commandMs = 60_000
const readyMs = 60_000
const stopMs = 60_000
const streamS = 1.5

/** As the docs name them, and where they are in this walk. */
export type Ports = ReadonlyMap<number, number>

export interface Outcome {
  /** Undefined: it went well. */
  problem?: string
  output: string
}

export interface Reader {
  save(file: string, text: string): void
  run(command: string, input?: string): Promise<Outcome>
  /** False: the shell has ended, as at a variable that nothing sets. */
  isOpen(): boolean
  close(): Promise<void>
}

/** Runs the real curl. What it printed stays as it is; the statuses are told beside it. */
const curl = `#!/bin/bash
limit=()
case "$*" in */stream*) limit=(--max-time ${streamS}) ;; esac
said=$(mktemp "$WALK_STATUSES.XXXXXX")
PATH=\${PATH#*:} command curl "\${limit[@]}" "$@" -w '%{stderr}\\n%{http_code} %{url_effective}\\n' 2> "$said"
code=$?
cat "$said" >> "$WALK_STATUSES"
cat "$said" >&2
if [ \${#limit[@]} -gt 0 ] && [ $code = 28 ]; then exit 0; fi
exit $code
`

export async function openReader(ports: Ports, more: Readonly<Record<string, string>>): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'docs-walk-'))
  // Started as root, the built-in database runs as a user without rights, who has to get through here.
  chmodSync(folder, 0o755)
  for (const name of ['bin', 'package.json', 'node_modules']) symlinkSync(join(packageFolder, name), join(folder, name))
  const tools = join(folder, '.walk')
  mkdirSync(tools)
  writeFileSync(join(tools, 'curl'), curl, { mode: 0o755 })
  const statuses = join(tools, 'statuses')

  const port = (documented: number): number => ports.get(documented) ?? documented
  const environment: NodeJS.ProcessEnv = {
    PATH: [tools, process.env['PATH']].join(delimiter),
    HOME: folder,
    LANG: 'C.UTF-8',
    WALK_STATUSES: statuses,
    SERVICE_GATEWAY_ADDR: `127.0.0.1:${port(8780)}`,
    SERVICE_WEBUI_ADDR: `127.0.0.1:${port(8781)}`,
    ...more,
  }
  const withPorts = (text: string): string =>
    text.replaceAll(
      /\b(127\.0\.0\.1:|localhost:|listen\()(\d+)\b/g,
      (_, before, number) => `${before}${port(Number(number))}`,
    )

  const shell = spawn('bash', ['--norc', '-u', '-o', 'pipefail'], {
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    detached: true, // what the page leaves running ends with it
  })
  const fatal: string[] = []
  shell.stderr?.on('data', (chunk) => fatal.push(String(chunk)))
  let isOpen = true
  const ended = once(shell, 'exit').then(() => {
    isOpen = false
  })
  const results = createInterface({ input: shell.stdio[3] as NodeJS.ReadableStream })
  let service: { child: ChildProcess; output: string[] } | undefined
  let key: string | undefined

  async function start(assignments: string): Promise<Outcome> {
    await stop()
    const output: string[] = []
    const child = spawn('bash', ['-c', `${assignments} exec node bin/service.js start`], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)))
    service = { child, output }
    const untilMs = Date.now() + readyMs
    while (Date.now() < untilMs && child.exitCode === null) {
      const isReady = await fetch(`http://127.0.0.1:${port(8780)}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
      if (!isReady) {
        await wait(50)
        continue
      }
      key ??= /\bsk-[\w-]{20,}/.exec(output.join(''))?.[0]
      if (key === undefined) return { problem: 'the first start printed no key', output: output.join('') }
      return type(`export SERVICE_KEY=${key}`)
    }
    return { problem: `the service was not ready (exit code ${child.exitCode})`, output: output.join('') }
  }

  async function stop(): Promise<void> {
    if (!service) return
    const { child } = service
    service = undefined
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    const isStopped = await Promise.race([exit.then(() => true), wait(stopMs, false, { ref: false })])
    if (!isStopped) child.kill('SIGKILL')
  }

  let typedCount = 0
  async function type(command: string, input?: string): Promise<Outcome> {
    const at = join(tools, String(++typedCount))
    writeFileSync(`${at}.sh`, command)
    writeFileSync(`${at}.in`, input ?? '')
    writeFileSync(statuses, '')
    const code = await new Promise<string>((resolve) => {
      const late = setTimeout(() => resolve(`no end within ${commandMs / 1_000} s`), commandMs)
      const over = (how: string) => {
        clearTimeout(late)
        resolve(how)
      }
      results.once('line', over)
      void ended.then(() => over('ended the shell'))
      shell.stdin?.write(`eval "$(cat ${at}.sh)" < ${at}.in > ${at}.out 2>&1; echo $? >&3\n`)
    })
    const output = `${isOpen ? readFileSync(`${at}.out`, 'utf8') : ''}${fatal.splice(0).join('')}`
    if (code !== '0') return { problem: `exit ${code}`, output }
    if (output.includes(': unbound variable')) return { problem: 'a variable that nothing sets', output }
    const refused = readFileSync(statuses, 'utf8').match(/^(000|[45]\d\d) .*$/m)
    return refused ? { problem: refused[0], output } : { output }
  }

  return {
    save: (file, text) => writeFileSync(join(folder, file), withPorts(text)),
    async run(command, input) {
      const starts = /^(?:npm ci && )?((?:\w+=\S+ )*)npm start$/.exec(command.replace(/\s+#.*$/, ''))
      if (starts) return start(withPorts(starts[1] ?? ''))
      // npm looks at the folder that packages are installed in, and takes linked ones for projects of their own.
      if (command.startsWith('npm ')) return type(`(cd ${packageFolder} && ${command})`, input)
      return type(withPorts(command).replaceAll('sk-...', key ?? 'sk-...'), input)
    },
    isOpen: () => isOpen,
    async close() {
      await stop()
      results.close()
      if (shell.pid !== undefined && shell.exitCode === null) {
        process.kill(-shell.pid, 'SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
