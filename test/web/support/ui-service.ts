/**
 * The service behind the pages: one node, or with SERVICE_TEST_NODES=2 two of them, and before both ports a proxy that gives
 * each request to the next node.
 */
import { type NodesProxy, startProxy } from '../../../scripts/cluster/proxy.ts'
import { freshAddress } from '../../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest, requestsTo } from '../../support/gateway.ts'

const nodes = Number(process.env['SERVICE_TEST_NODES'] ?? 1)
const masterKey = Buffer.alloc(32, 'u').toString('base64')
const shareMsMax = 30_000

export async function uiService(environment: Record<string, string> = {}): Promise<GatewayUnderTest> {
  return nodes > 1 ? await severalNodes(environment) : await gatewayUnderTest(environment)
}

async function severalNodes(environment: Record<string, string>): Promise<GatewayUnderTest> {
  const { address, drop } = await freshAddress()
  const started: GatewayUnderTest[] = []
  const proxies: NodesProxy[] = []
  async function stop(): Promise<void> {
    for (const proxy of proxies) await proxy.close()
    for (const node of started.toReversed()) await node.stop()
    await drop()
  }
  try {
    const api = await startProxy({ nodes: () => started.map(({ gateway }) => gateway.port) })
    proxies.push(api)
    const ui = await startProxy({ nodes: () => started.map(({ gateway }) => gateway.uiPort ?? 0) })
    proxies.push(ui)
    const shared = {
      SERVICE_MASTER_KEY: masterKey,
      SERVICE_WEBUI_API_BASE: `http://127.0.0.1:${api.port}`,
      SERVICE_WEBUI_ORIGIN: `http://127.0.0.1:${ui.port}`,
    }
    const first = await gatewayUnderTest({ ...shared, ...environment }, { address })
    started.push(first)
    while (started.length < nodes) {
      const model = { SERVICE_LLM_GATEWAY_URL: first.endpoint.url }
      started.push(await gatewayUnderTest({ ...shared, ...model, ...environment }, { address }))
    }
    await untilShared(started)
    return behind(api, ui, first, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilShared(started: readonly GatewayUnderTest[]): Promise<void> {
  const giveUpAt = performance.now() + shareMsMax
  const least = Math.floor(256 / started.length)
  while (started.some(({ gateway }) => Number(gateway.stats()['slots']) < least)) {
    if (performance.now() > giveUpAt) throw new Error('the nodes do not share the slots')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** As the first node, but for where requests go. */
function behind(api: NodesProxy, ui: NodesProxy, first: GatewayUnderTest, stop: () => Promise<void>): GatewayUnderTest {
  const url = `http://127.0.0.1:${api.port}`
  const gateway = Object.create(first.gateway, { port: { value: api.port }, uiPort: { value: ui.port } })
  return { ...first, ...requestsTo(url), gateway, url, stop }
}
