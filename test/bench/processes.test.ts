import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { environmentFor } from '../../bench/process/forked.ts'
import { ticksOf } from '../../bench/process/proc.ts'

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
