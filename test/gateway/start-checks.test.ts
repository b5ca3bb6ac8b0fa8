/** Warnings at start-up: names that no tool has, and code that runs with weak containment. */

import { expect, onTestFinished, test } from 'vitest'
import { openSettings } from '../../config/settings.ts'
import { startChecks } from '../../gateway/start-checks.ts'
import { createResolver } from '../../runtime/network/resolver.ts'
import { openToolbox, type Toolbox } from '../../tools/registry.ts'
import { recordingLog } from '../support/recording-log.ts'
import { virtualClock } from '../support/virtual-clock.ts'

async function opened(environment: Record<string, string>) {
  const { log, lines } = recordingLog()
  const clock = virtualClock()
  const settings = openSettings({ environment, stored: new Map() })
  const toolbox: Toolbox = await openToolbox({ settings, log, clock, resolve: createResolver() })
  const stop = startChecks({ tools: toolbox, settings, log, clock })
  onTestFinished(async () => {
    await stop()
    await toolbox.close()
  })
  const unknown = () => lines.filter(({ msg }) => msg?.includes('unknown tools'))
  return { stop, clock, lines, unknown }
}

test('names of unknown tools are reported once, at the start where there are no servers', async () => {
  const { unknown } = await opened({
    SERVICE_APPROVAL_TOOLS: 'http_request,htpp_request,file*',
    SERVICE_TOOL_SEARCH_CORE: 'time*,calculator',
  })
  expect(unknown()).toHaveLength(1)
  // The file tools are off.
  expect(unknown()[0]).toMatchObject({ setting: 'SERVICE_APPROVAL_TOOLS', names: ['htpp_request', 'file*'] })
})

test('names that servers may still offer are not reported before those have connected', async () => {
  const servers = JSON.stringify({ away: { command: '/nowhere/at-all' } })
  const { clock, unknown } = await opened({ SERVICE_MCP_SERVERS: servers, SERVICE_APPROVAL_TOOLS: 'away__erase' })
  await clock.advance(89_999)
  expect(unknown()).toEqual([])
  await clock.advance(1)
  expect(unknown()).toHaveLength(1)
  await clock.advance(600_000)
  expect(unknown()).toHaveLength(1)
})

test('after a stop nothing is reported', async () => {
  const servers = JSON.stringify({ away: { command: '/nowhere/at-all' } })
  const { stop, clock, unknown } = await opened({
    SERVICE_MCP_SERVERS: servers,
    SERVICE_APPROVAL_TOOLS: 'away__erase',
  })
  await stop()
  await clock.advance(100_000)
  expect(unknown()).toEqual([])
})

test('code that runs in WebAssembly causes no warning', async () => {
  const { stop, lines } = await opened({ SERVICE_CODE_EXEC: '1' })
  await stop()
  expect(lines.filter(({ msg }) => msg?.includes('weak sandbox'))).toEqual([])
})

test('code that runs as a plain child causes a warning', async () => {
  const path = process.env['PATH']
  onTestFinished(() => {
    process.env['PATH'] = path
  })
  process.env['PATH'] = '/nowhere' // no bubblewrap
  const { stop, lines } = await opened({ SERVICE_CODE_EXEC: '1', SERVICE_CODE_EXEC_ALLOW_HOST: '1' })
  await stop()
  const warnings = lines.filter(({ msg }) => msg?.includes('weak sandbox'))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatchObject({ sandbox: 'plain', level: 40 })
})

test('secrets that are too short to be set anew are named at the start, without their text', async () => {
  const { lines } = await opened({ SERVICE_COMPAT_KEY: 'short', SERVICE_INBOUND_SECRET: 'x'.repeat(32) })
  const weak = lines.filter(({ msg }) => msg.includes('at least 32 characters'))
  expect(weak.map(({ msg }) => msg.split(' ', 1)[0])).toEqual(['SERVICE_COMPAT_KEY'])
  expect(JSON.stringify(lines)).not.toContain('"short"')
})
