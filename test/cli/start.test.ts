import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../bench/process/free-port.ts'
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
  expect(text).toContain('SERVICE_DATABASE_URL must be an address such as postgres://user')
  expect(`${text}${JSON.stringify(started.lines)}`).not.toContain('er2')
})

test('refused settings are a line each, without a stack, also where the level of the log is one of them', async () => {
  const { begin } = await operator({ SERVICE_LOG_LEVEL: 'loud', SERVICE_GATEWAY_ADDR: 'nonsense' })
  const started = begin()
  expect(await started.end).toBe(78)
  const problems = started.lines.filter((line) => line['level'] === 'fatal')
  const bySetting = new Map(problems.map((line) => [line['setting'], line['reason']]))
  expect(problems).toHaveLength(2)
  expect(bySetting.get('SERVICE_GATEWAY_ADDR')).toContain('cannot be "nonsense"')
  expect(bySetting.get('SERVICE_LOG_LEVEL')).toContain('one of trace, debug')
  for (const problem of problems)
    expect(problem).toMatchObject({ advice: expect.stringContaining('environment variable') })
  expect(JSON.stringify(started.lines)).not.toContain('stack')
})

test('a port that is taken is one line that names the setting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const { begin } = await operator({ SERVICE_GATEWAY_ADDR: address })
  const started = begin()
  expect(await started.end).toBe(1)
  const problems = started.lines.filter((line) => line['level'] === 'fatal')
  expect(problems).toMatchObject([{ setting: 'SERVICE_GATEWAY_ADDR', reason: expect.stringContaining(address) }])
  expect(JSON.stringify(started.lines)).not.toContain('stack')
})
