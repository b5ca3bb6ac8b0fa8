/** The protocol's own reference server, by HTTP: calls, its death in mid-call, and its return. */
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../../bench/process/free-port.ts'
import { endSpawned, type Spawned, spawnNode } from '../../support/spawned.ts'
import { closeServers, contextOf, openServers, prepared } from '../../tools/mcp/support/open-servers.ts'
import { everythingFile } from './everything-file.ts'

afterEach(async () => {
  await closeServers()
  await endSpawned()
})

async function everything(port: number): Promise<Spawned> {
  const server = spawnNode(everythingFile, ['streamableHttp'], { environment: { PORT: String(port) } })
  await server.said('listening on port')
  return server
}

test('its tools are called, its session is ended, and a server that dies in mid-call is found again', async () => {
  const port = await freePort()
  const first = await everything(port)
  const servers = openServers({ everything: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } })
  expect(await servers.call('everything__echo', { message: 'hello' })).toBe('Echo: hello')
  const structured = await servers.call('everything__get-structured-content', { location: 'New York' })
  expect(JSON.parse(structured)).toMatchObject({ temperature: 33 })
  await expect(servers.call('everything__get-sum', { a: 'one' })).rejects.toMatchObject({ code: 'mcp_tool_error' })

  const turn = new AbortController()
  const echo = await servers.tool('everything__echo')
  const long = prepared(await servers.tool('everything__trigger-long-running-operation'), { duration: 600, steps: 2 })
  const cancelled = long.run(contextOf(turn.signal))
  turn.abort()
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })

  const cutShort = long.run(contextOf())
  await servers.call('everything__echo', { message: 'the long one is under way' })
  first.child.kill('SIGKILL')
  await expect(cutShort).rejects.toMatchObject({ code: 'mcp_unavailable' })
  await expect.poll(() => servers.tools()).toEqual([])
  await expect(prepared(echo, { message: 'x' }).run(contextOf())).rejects.toMatchObject({ code: 'mcp_unavailable' })

  const second = await everything(port)
  expect(await servers.call('everything__echo', { message: 'again' })).toBe('Echo: again')
  await servers.close()
  await second.said('Received session termination request')
})
