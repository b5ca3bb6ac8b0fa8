/**
 * Proves the package as an operator has it: installs the newest release that was left behind and talks to it, installs
 * this version over it, packed, and goes on with the same data. Then installs it as for everybody on a machine, and runs the
 * commands that it prints there. Needs a registry, or a warm npm cache.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../bench/process/free-port.ts'
import { packageFolder as root } from '../runtime/package.ts'
import { packageFile, releases } from './release/release.ts'

const readyWithinMs = 120_000
const stopWithinMs = 60_000

function npm(folder: string, ...args: string[]): void {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
}

function check(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(`not so: ${what}`)
  console.log(`package: ${what}`)
}

async function untilReady(base: string, service: ChildProcess): Promise<void> {
  const untilMs = Date.now() + readyWithinMs
  while (Date.now() < untilMs && service.exitCode === null && service.signalCode === null) {
    const status = await fetch(`${base}/readyz`).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return
    await wait(100)
  }
  throw new Error(`the service was not ready (exit code ${service.exitCode})`)
}

const conversationHeader = 'x-service-conversation-id'

interface Asked {
  isStream?: boolean
  /** Stored: continues this one, or begins one where it says `new`. */
  conversation?: string
}

async function ask(
  base: string,
  { isStream = false, conversation }: Asked,
): Promise<{ body: string; conversation: string }> {
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(conversation && { [conversationHeader]: conversation }),
    },
    body: JSON.stringify({ model: 'demo', stream: isStream, messages: [{ role: 'user', content: 'Hello!' }] }),
  })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`status ${response.status}: ${body.slice(0, 500)}`)
  return { body, conversation: response.headers.get(conversationHeader) ?? '' }
}

async function messagesOf(base: string, conversation: string): Promise<{ role: string; content: string }[]> {
  const response = await fetch(`${base}/v1/admin/conversations/messages?id=${conversation}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return ((await response.json()) as { messages: { role: string; content: string }[] }).messages
}

/** Senders, and what each says while the channel is paused. */
const waitingOf = new Map(['anna', 'boris'].map((sender) => [sender, [1, 2, 3].map((at) => `${sender} asks ${at}`)]))
const answeredWithinMs = 20_000

async function pauseChannel(base: string, isPaused: boolean): Promise<void> {
  const response = await fetch(`${base}/v1/admin/channels/generic`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ is_paused: isPaused }),
  })
  if (response.status !== 200) throw new Error(`the channel was not changed: ${response.status}`)
}

/** @returns the conversation of each sender */
async function leaveWaiting(base: string): Promise<Map<string, string>> {
  const conversations = new Map<string, string>()
  await pauseChannel(base, true)
  for (const [sender, texts] of waitingOf) {
    for (const text of texts) {
      const response = await fetch(`${base}/v1/inbound/generic`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ external_id: sender, text, message_id: text }),
      })
      if (response.status !== 202) throw new Error(`a message was not taken: ${response.status}`)
      conversations.set(sender, ((await response.json()) as { conversation_id: string }).conversation_id)
    }
  }
  return conversations
}

/** Each message is there once and in order, and has one answer. */
async function areAnswered(base: string, conversations: ReadonlyMap<string, string>): Promise<boolean> {
  const found = await Promise.all(
    [...conversations].map(async ([sender, conversation]) => {
      const messages = await messagesOf(base, conversation)
      const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
      const answers = messages.filter(({ role }) => role === 'assistant').length
      return texts.join() === waitingOf.get(sender)?.join() && answers === texts.length
    }),
  )
  return found.every(Boolean)
}

async function untilAnswered(base: string, conversations: ReadonlyMap<string, string>): Promise<boolean> {
  await pauseChannel(base, false)
  for (const endsAt = performance.now() + answeredWithinMs; performance.now() < endsAt; await wait(100)) {
    if (await areAnswered(base, conversations)) return true
  }
  return false
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'service-package-')))
// Started as root, the built-in database runs as a user without rights, who has to get through here.
chmodSync(folder, 0o755)
const home = join(folder, 'home')
const key = `sk-${randomBytes(32).toString('base64url')}`
const output: string[] = []
let service: ChildProcess | undefined

/** Installs the package, in the place of one that is there, and starts it. @returns its address */
async function start(tarball: string): Promise<string> {
  npm(home, 'install', '--prefer-offline', tarball)
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  service = spawn(join(home, 'node_modules', '.bin', 'service'), ['start'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SERVICE_DATA_DIR: join(folder, 'data'),
      SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
      SERVICE_WEBUI_ADDR: '127.0.0.1:0',
      SERVICE_BOOTSTRAP_KEY: key,
      SERVICE_INBOUND_REQUIRE_BINDING: 'false',
    },
  })
  for (const stream of [service.stdout, service.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)))
  await untilReady(base, service)
  return base
}

async function stop(): Promise<void> {
  if (!service) return
  const ended = once(service, 'exit')
  service.kill('SIGTERM')
  const stopped = await Promise.race([ended, wait(stopWithinMs, undefined, { ref: false })])
  check(stopped?.[0] === 0, 'SIGTERM ends it with exit code 0')
}

/** Installed for all, the command is found by its name: what it prints begins with that, and runs as it is printed. */
async function globalInstallation(tarball: string): Promise<void> {
  const prefix = join(folder, 'global')
  npm(folder, 'install', '--global', '--prefix', prefix, '--prefer-offline', tarball)
  const elsewhere = join(folder, 'elsewhere')
  mkdirSync(elsewhere)
  const port = await freePort()
  const env = {
    ...process.env,
    PATH: `${join(prefix, 'bin')}${delimiter}${process.env['PATH']}`,
    SERVICE_DATA_DIR: join(folder, 'data-of-all'),
    SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
    SERVICE_WEBUI_ADDR: '127.0.0.1:0',
  }
  const printed: string[] = []
  service = spawn('agent-platform', ['start'], { cwd: elsewhere, env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [service.stdout, service.stderr])
    stream?.on('data', (chunk) => {
      printed.push(String(chunk))
      output.push(String(chunk))
    })
  await untilReady(`http://127.0.0.1:${port}`, service)
  const inShell = (command: string) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: elsewhere,
      env,
      input: randomBytes(24).toString('hex'),
      encoding: 'utf8',
    })
    return { status, text: `${stdout}${stderr}` }
  }
  const commandsIn = (text: string) =>
    [...text.matchAll(/(?<=^ *|: )(\S*(?:agent-platform|service\.js)\b .*)$/gm)].map(([command]) => command)
  const doctor = inShell('agent-platform doctor')
  const [hint, ...more] = [...commandsIn(printed.join('')), ...commandsIn(doctor.text)]
  check(hint !== undefined && more.length > 1, 'installed for all, the first start and the doctor print commands')
  for (const command of [hint ?? '', ...more]) {
    const { status, text } = inShell(command)
    check(
      command.startsWith('agent-platform ') && status === 0,
      `"${command}" runs as it is printed${status === 0 ? '' : `: ${text}`}`,
    )
  }
  await stop()
}

try {
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n')
  const release = releases().at(-1)
  if (release === undefined) throw new Error('no release was left to upgrade from')
  const older = await start(packageFile(release))
  check(true, `release ${release} is installed and ready`)
  const { conversation } = await ask(older, { conversation: 'new' })
  const waiting = await leaveWaiting(older)
  await stop()

  npm(root, 'pack', '--pack-destination', folder)
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  if (!tarball) throw new Error('npm pack made no tarball')
  const base = await start(join(folder, tarball))
  check(true, 'installed over it from the tarball, this version is ready')
  check((await ask(base, {})).body.includes('"chat.completion"'), 'a chat completion answers')
  check(
    (await ask(base, { isStream: true })).body.trimEnd().endsWith('data: [DONE]'),
    'a streamed one ends with [DONE]',
  )
  await ask(base, { conversation })
  check((await messagesOf(base, conversation)).length === 4, 'a conversation from before the upgrade goes on')
  check(await untilAnswered(base, waiting), 'messages that waited in the queue are answered, each once and in order')
  await stop()
  await globalInstallation(join(folder, tarball))
} catch (error) {
  console.error(output.join(''))
  console.error(error)
  process.exitCode = 1
} finally {
  service?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
