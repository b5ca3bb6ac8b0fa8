/** The log of all nodes: each keeps its own newest lines, and the others ask for them. */
import type { LogTail } from '../../../runtime/log/tail.ts'
import { seconds } from '../../../runtime/time/duration.ts'
import { type HereAmongNodes, ofNodes } from '../nodes/of-nodes.ts'
import type { LogCursor } from './cursor.ts'
import type { LogFilter, LogLine } from './lines.ts'
import { NodePage, PageQuestion, pageOfTail } from './page.ts'

export interface LogOfNodes {
  /** The number of this node. */
  readonly node: number
  /** Undefined: this process keeps no lines. */
  readonly own: LogTail | undefined
  /** Those that live; this one is among them. */
  living(): readonly number[]
  /** Undefined: the node does not answer within two seconds. */
  page(node: number, question: PageQuestion, signal?: AbortSignal): Promise<NodePage | undefined>
}

export function logOfNodes(
  here: HereAmongNodes,
  { tail, living }: { tail: LogTail | undefined; living(): readonly number[] },
): LogOfNodes {
  const page = ofNodes<PageQuestion, NodePage>(here, {
    kinds: { question: 'node.log', answer: 'node.logged' },
    withinMs: seconds(2),
    question: PageQuestion,
    answer: NodePage,
    async own(question, signal) {
      if (!tail) throw new Error('this process keeps no lines of its log')
      return await pageOfTail(tail, question, signal)
    },
  })
  return { node: here.node, own: tail, living, page }
}

export interface JoinedPage {
  lines: LogLine[]
  cursor: LogCursor
  missed: number
  hasMore: boolean
  /** Nodes that did not answer: their lines come with a later page. */
  silent: number[]
}

export interface JoinedQuestion extends LogFilter {
  nodes: readonly number[]
  /** Undefined: the newest lines. */
  after: LogCursor | undefined
  limit: number
}

/** Lines of several nodes in the order of their times. */
export async function joinedPage(log: LogOfNodes, question: JoinedQuestion, signal?: AbortSignal): Promise<JoinedPage> {
  const { nodes, after, limit, level, search } = question
  const pages = await Promise.all(
    nodes.map(async (node) => {
      const from = after && { after: after.get(node) ?? 0 }
      return { node, page: await log.page(node, { level, search, limit, ...from }, signal) }
    }),
  )
  const all = pages.flatMap(({ node, page }) => inOrder(node, page?.lines ?? [])).sort(byTime)
  const shown = (after ? all.slice(0, limit) : all.slice(-limit)).map(({ line }) => line)
  const cursor = new Map(after)
  for (const { node, page } of pages) {
    if (!page) continue
    const isWhole = !after || page.lines.length === shown.filter((line) => line.node === node).length
    const last = shown.findLast((line) => line.node === node)?.id ?? after?.get(node) ?? 0
    cursor.set(node, isWhole ? page.upTo : last)
  }
  return {
    lines: shown,
    cursor,
    missed: pages.reduce((sum, { page }) => sum + (page?.missed ?? 0), 0),
    hasMore: after !== undefined && (shown.length < all.length || pages.some(({ page }) => page?.hasMore)),
    silent: pages.flatMap(({ node, page }) => (page ? [] : [node])),
  }
}

interface Timed {
  line: LogLine
  /** Clocks go back: never earlier than a line before it of its node. */
  atMs: number
}

function inOrder(node: number, lines: readonly Omit<LogLine, 'node'>[]): Timed[] {
  let atMs = 0
  return lines.map((line) => {
    atMs = Math.max(atMs, Date.parse(line.time))
    return { line: { ...line, node }, atMs }
  })
}

const byTime = (a: Timed, b: Timed): number => a.atMs - b.atMs || a.line.node - b.line.node || a.line.id - b.line.id
