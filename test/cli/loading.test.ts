/** What a command loads decides how long it takes, whatever the machine does beside it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { builtService } from '../support/built-service.ts'
import { freshAddress } from '../support/database.ts'
import { urlOf } from '../support/gateway.ts'

const bin = builtService()

const preload = new URL('../runtime/telemetry/loaded.ts', import.meta.url).href

/** The modules that a command resolves, from its start to its end. */
async function loadedBy(...words: string[]): Promise<string[]> {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const { NODE_OPTIONS: _, ...inherited } = process.env
  const env = { ...inherited, SERVICE_DATABASE_URL: urlOf(address) }
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', preload, bin, ...words], {
    env,
    maxBuffer: 32_000_000,
  })
  return JSON.parse(stdout.slice(stdout.indexOf('["'))) as string[]
}

/** Measured: 270 to 290; loading every group of commands takes 776. */
const modulesMax = 330

test.each([
  ['settings', 'list'],
  ['secrets', 'list'],
  ['tools', 'grants'],
  ['keys', 'list'],
  ['operators', 'list'],
  ['audit', 'verify'],
])('%s %s loads nothing of other commands, and nothing of the server', async (...words) => {
  const loaded = await loadedBy(...words)
  expect(loaded.length).toBeGreaterThan(100)
  expect(loaded.length).toBeLessThan(modulesMax)
  const heavy = /node_modules\/(undici|uWebSockets\.js|piscina|prom-client|@opentelemetry)\//
  expect(loaded.filter((url) => heavy.test(url))).toEqual([])
  const groups = loaded.filter((url) =>
    /\/cli\/(settings|secrets|tools|keys|operators|audit|doctor\/doctor)\.js$/.test(url),
  )
  expect(groups).toEqual([expect.stringContaining(`/cli/${words[0]}.js`)])
})

test('every group of commands is in the help, and an unknown one is refused', async () => {
  const help = await promisify(execFile)(process.execPath, [bin, '--help'])
  for (const group of ['start', 'settings', 'secrets', 'tools', 'keys', 'operators', 'audit', 'doctor'])
    expect(help.stdout).toMatch(new RegExp(`^  ${group} `, 'm'))
  await expect(promisify(execFile)(process.execPath, [bin, 'toString'])).rejects.toMatchObject({
    stderr: expect.stringContaining("unknown command 'toString'"),
  })
})
