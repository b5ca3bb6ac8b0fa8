/** What the toolbox says of itself when it is opened: names that no tool has, and code that nothing contains. */
import { expect, onTestFinished, test } from 'vitest'
import { openSettings } from '../../config/settings.ts'
import { openToolbox, type Toolbox } from '../../tools/registry.ts'
import { recordingLog } from '../support/recording-log.ts'
import { virtualClock } from '../support/virtual-clock.ts'

async function opened(environment: Record<string, string>) {
  const { log, lines } = recordingLog()
  const clock = virtualClock()
  const settings = openSettings({ environment, stored: new Map() })
  const toolbox: Toolbox = await openToolbox({ settings, log, clock })
  onTestFinished(() => toolbox.close())
  const unknown = () => lines.filter(({ msg }) => msg?.includes('no tool here'))
  return { toolbox, clock, lines, unknown }
}

test('names that no tool has are told once, at the start where no server is waited for', async () => {
  const { unknown } = await opened({
    SERVICE_APPROVAL_TOOLS: 'http_request,htpp_request,file*',
    SERVICE_TOOL_SEARCH_CORE: 'time*,calculator',
  })
  expect(unknown()).toHaveLength(1)
  // The file tools are off.
  expect(unknown()[0]).toMatchObject({ setting: 'SERVICE_APPROVAL_TOOLS', names: ['htpp_request', 'file*'] })
})

test('names that servers may yet bring are not missed before those had their time', async () => {
  const servers = JSON.stringify({ away: { command: '/nowhere/at-all' } })
  const { clock, unknown } = await opened({ SERVICE_MCP_SERVERS: servers, SERVICE_APPROVAL_TOOLS: 'away__erase' })
  await clock.advance(89_999)
  expect(unknown()).toEqual([])
  await clock.advance(1)
  expect(unknown()).toHaveLength(1)
  await clock.advance(600_000)
  expect(unknown()).toHaveLength(1)
})

test('a toolbox that is closed before that says nothing any more', async () => {
  const servers = JSON.stringify({ away: { command: '/nowhere/at-all' } })
  const { toolbox, clock, unknown } = await opened({
    SERVICE_MCP_SERVERS: servers,
    SERVICE_APPROVAL_TOOLS: 'away__erase',
  })
  await toolbox.close()
  await clock.advance(100_000)
  expect(unknown()).toEqual([])
})

test('code that runs in WebAssembly is no cause for a warning', async () => {
  const { toolbox, lines } = await opened({ SERVICE_CODE_EXEC: '1' })
  await toolbox.close()
  expect(lines.filter(({ msg }) => msg?.includes('weaker than a sandbox'))).toEqual([])
})

test('code that runs as a plain child is', async () => {
  const path = process.env['PATH']
  onTestFinished(() => {
    process.env['PATH'] = path
  })
  process.env['PATH'] = '/nowhere' // no bubblewrap
  const { toolbox, lines } = await opened({ SERVICE_CODE_EXEC: '1', SERVICE_CODE_EXEC_ALLOW_HOST: '1' })
  await toolbox.close()
  const told = lines.filter(({ msg }) => msg?.includes('weaker than a sandbox'))
  expect(told).toHaveLength(1)
  expect(told[0]).toMatchObject({ sandbox: 'plain', level: 40 })
})
