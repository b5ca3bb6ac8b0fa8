/** The Responses API beside the chat API, on the same gateway in turn: what the other form costs. */
import { interleaved } from '../interleave.ts'
import type { Row } from '../row.ts'
import { startOurs } from '../servers/ours.ts'
import { startUpstream } from '../servers/upstream.ts'
import { loadOn, loopLine } from './chat.ts'

const connections = 64

export const responsesRow: Row = {
  name: 'responses-64',
  what: `Responses that are not stored, whole, ${connections} connections; the floor is the same as chat on the same gateway.`,
  lines: [
    { label: 'requests', figure: 'requestsPerS', unit: '1/s' },
    { label: 'latency p50', figure: 'latencyP50Ms', unit: 'ms', digits: 2, isAdded: true },
    loopLine,
    {
      label: 'processor time a request',
      figure: 'processorUs',
      unit: 'µs',
      digits: 1,
      targets: [{ of: 'ours/floor', atMost: 1.15 }],
    },
  ],
  async measure(bench) {
    const upstream = await startUpstream()
    const server = await startOurs(upstream)
    try {
      const contestants = {
        ours: () => loadOn(bench, server, { kind: 'whole', connections, api: 'responses' }),
        floor: () => loadOn(bench, server, { kind: 'whole', connections }),
      }
      return await interleaved(contestants, bench.runs, bench.say)
    } finally {
      await server.stop()
      await upstream.stop()
    }
  },
}
