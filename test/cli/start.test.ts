import { expect, test } from 'vitest'
import { freePort } from '../support/spawned.ts'
import { operator } from './support/command.ts'

test('without a parent the service waits for a database that is down, and can be stopped meanwhile', async () => {
  const closed = await freePort()
  const { begin, stop } = await operator({
    SERVICE_DATABASE_URL: `postgres://user:hunter2@127.0.0.1:${closed}/nothing`,
  })
  const waiting = begin()
  const attempts = () => waiting.lines.map((line) => line['attempt']).filter((attempt) => attempt !== undefined)
  await expect.poll(attempts, { interval: 20 }).toEqual([1, 2, 3])
  expect(waiting.child.exitCode).toBeNull()
  expect(JSON.stringify(waiting.lines)).not.toContain('hunter2')
  await stop()
})

test('a malformed database address ends the start with the exit code of a wrong configuration, and its password is not shown', async () => {
  const { begin, service } = await operator({ SERVICE_DATABASE_URL: 'postgres://user:hunt/er2@db.example.com/service' })
  const [started, listed] = [begin(), service('settings', 'list')]
  expect(await started.end).toBe(78)
  const { code, text } = await listed
  expect(code).toBe(1)
  expect(text).toContain('SERVICE_DATABASE_URL must be an absolute address (postgres:')
  expect(`${text}${JSON.stringify(started.lines)}`).not.toContain('er2')
})
