/** Every metric of each node, with its number as a label: each knows its own, and asks the others. */
import { z } from 'zod'
import type { Metrics } from '../../../runtime/telemetry/metrics.ts'
import { type HereAmongNodes, ofNodes } from '../nodes/of-nodes.ts'

export interface MetricsOfNodes {
  /** In the text exposition format. Undefined: the node does not answer within a second. */
  of(node: number): Promise<string | undefined>
}

/** A node has some 30 KiB of them. */
const textLengthMax = 4 * 1024 * 1024

export function metricsOfNodes(here: HereAmongNodes, own: () => Promise<string>): MetricsOfNodes {
  const kinds = { question: 'node.metrics', answer: 'node.measured' }
  const of = ofNodes(here, { kinds, question: z.object({}), answer: z.string().max(textLengthMax), own })
  return { of: (node) => of(node, {}) }
}

/** Both registries of this process. */
export async function metricsText(metrics: Metrics): Promise<string> {
  const texts = await Promise.all([metrics.public.metrics(), metrics.internal.metrics()])
  return texts.join('\n')
}

interface Family {
  /** Help and type. */
  head: string
  samples: string[]
}

/**
 * One text of several nodes' metrics: each family once, each sample with the label `node`.
 * @param texts by node; undefined: it did not answer, and has nothing but `service_node_up` 0
 */
export function joinedMetrics(texts: ReadonlyMap<number, string | undefined>): string {
  const families = new Map<string, Family>()
  const up = {
    head: '# HELP service_node_up 1: the node answered.\n# TYPE service_node_up gauge',
    samples: [] as string[],
  }
  for (const [node, text] of texts) {
    up.samples.push(`service_node_up{node="${node}"} ${text === undefined ? 0 : 1}`)
    for (const block of (text ?? '').split(/\n{2,}/)) addFamily(families, block.trim(), node)
  }
  return `${[up, ...families.values()].map(({ head, samples }) => [head, ...samples].join('\n')).join('\n\n')}\n`
}

function addFamily(families: Map<string, Family>, block: string, node: number): void {
  const lines = block.split('\n')
  const head = lines.filter((line) => line.startsWith('#')).join('\n')
  if (head === '') return
  const family = families.get(head) ?? { head, samples: [] }
  families.set(head, family)
  for (const line of lines) if (!line.startsWith('#')) family.samples.push(withNode(line, node))
}

/** `name value` or `name{labels} value`. */
const withNode = (sample: string, node: number): string =>
  sample.replace(/^([A-Za-z_:][\w:]*)(\{)?/, (_, name: string, brace) => `${name}{node="${node}"${brace ? ',' : '}'}`)
