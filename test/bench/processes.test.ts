import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { environmentFor } from '../../bench/process/forked.ts'
import { ticksOf } from '../../bench/process/proc.ts'
import { processorNs } from '../../bench/process/processor-time.ts'

test('settings of a service that runs from the same shell do not reach the measured one', () => {
  const given = {
    PATH: '/bin',
    SERVICE_DATABASE_URL: 'postgres://example.com/live',
    SERVICE_OTEL_ENDPOINT: 'http://example.com',
  }
  expect(environmentFor(given, { SERVICE_LOG_LEVEL: 'warn' })).toEqual({
    PATH: '/bin',
    NODE_ENV: 'production',
    SERVICE_LOG_LEVEL: 'warn',
  })
})

test('processor time is found behind a name with blanks and brackets', () => {
  expect(ticksOf('7 (a (b) c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 1 0 99')).toBe(300)
})

test('processor time is of all threads, and of the process that was asked about', async () => {
  const spin = `const { Worker, isMainThread, parentPort } = require('node:worker_threads')
    if (isMainThread) new Worker(__filename).on('message', (message) => process.send(message))
    else {
      const untilMs = Date.now() + 300
      while (Date.now() < untilMs) Math.sqrt(untilMs)
      parentPort.postMessage('done')
      setInterval(() => {}, 1_000)
    }`
  const file = join(await mkdtemp(join(tmpdir(), 'bench-spin-')), 'spin.cjs')
  await writeFile(file, spin)
  // Begun by a small process: what the large one of the tests takes to begin another would be counted.
  const shell = spawn('sh', ['-c', 'sleep 30 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [told] = (await once(shell.stdout, 'data')) as [Buffer]
  const idlePid = Number(told.toString())
  const busy = fork(file, { stdio: 'ignore' })
  try {
    await once(busy, 'message')
    const busyNs = await processorNs([busy.pid ?? 0])
    const idleNs = await processorNs([idlePid])
    // Only a thread beside the main one spins. Others use the processors too: it gets less than its 300 ms.
    expect(busyNs).toBeGreaterThan(idleNs * 5)
    expect(await processorNs([busy.pid ?? 0, idlePid])).toBeGreaterThanOrEqual(busyNs + idleNs)
  } finally {
    busy.kill('SIGKILL')
    process.kill(idlePid, 'SIGKILL')
    await rm(dirname(file), { recursive: true })
  }
})

test('the floor ends when whoever measures it is killed', async () => {
  const file = new URL('../../bench/floors/pass-through.ts', import.meta.url).pathname
  const measurer = spawn(
    process.execPath,
    [
      '-e',
      `const { fork } = require('node:child_process')
       const child = fork(${JSON.stringify(file)}, ['http://127.0.0.1:1'], { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] })
       child.on('message', () => process.stdout.write(String(child.pid)))`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [said] = (await once(measurer.stdout, 'data')) as [Buffer]
  const floor = Number(said.toString())
  // The floor holds the other end of this pipe for as long as it lives.
  const isGone = once(measurer.stdout, 'close').then(() => true)
  measurer.kill('SIGKILL')
  const isLeft = pause(10_000, false, { ref: false })
  const ended = await Promise.race([isGone, isLeft])
  if (!ended) process.kill(floor, 'SIGKILL')
  expect(ended).toBe(true)
})
