/**
 * The service behind the pages: one node, or with SERVICE_TEST_NODES=2 two of them, each under a loopback address of its own, and
 * before both ports a proxy that gives each request to the next node.
 */

import { freePort } from '../../../bench/process/free-port.ts'
import { type NodesProxy, startProxy } from '../../../scripts/cluster/proxy.ts'
import { freshAddress } from '../../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

export const nodesUnderTest = Number(process.env['SERVICE_TEST_NODES'] ?? 1)
const masterKey = Buffer.alloc(32, 'u').toString('base64')
const shareMsMax = 30_000

/** @returns the first node, whose address is the proxy's where there are several */
export async function uiService(environment: Record<string, string> = {}): Promise<GatewayUnderTest> {
  return nodesUnderTest > 1 ? await severalNodes(environment) : await gatewayUnderTest(environment)
}

async function severalNodes(environment: Record<string, string>): Promise<GatewayUnderTest> {
  const { address, drop } = await freshAddress()
  const nodes: GatewayUnderTest[] = []
  const proxies: NodesProxy[] = []
  async function stop(): Promise<void> {
    for (const proxy of proxies) await proxy.close()
    for (const node of nodes.toReversed()) await node.stop()
    await drop()
  }
  try {
    const [port, uiPort] = [await freePort(), await freePort()]
    for (const each of [port, uiPort]) {
      const targets = () => nodes.map((_node, at) => ({ host: hostOf(at), port: each }))
      proxies.push(await startProxy({ port: each, nodes: targets }))
    }
    while (nodes.length < nodesUnderTest) {
      const host = hostOf(nodes.length)
      const own = {
        SERVICE_MASTER_KEY: masterKey,
        SERVICE_GATEWAY_ADDR: `${host}:${port}`,
        SERVICE_WEBUI_ADDR: `${host}:${uiPort}`,
        ...(nodes[0] && { SERVICE_LLM_GATEWAY_URL: nodes[0].endpoint.url }),
      }
      nodes.push(await gatewayUnderTest({ ...own, ...environment }, { address }))
    }
    await untilShared(nodes)
    return { ...(nodes[0] as GatewayUnderTest), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const hostOf = (at: number): string => `127.0.0.${at + 2}`

async function untilShared(nodes: readonly GatewayUnderTest[]): Promise<void> {
  const giveUpAt = performance.now() + shareMsMax
  const share = Math.floor(256 / nodes.length)
  while (nodes.some(({ gateway }) => Number(gateway.stats()['slots']) < share)) {
    if (performance.now() > giveUpAt) throw new Error('the nodes do not share the slots')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
