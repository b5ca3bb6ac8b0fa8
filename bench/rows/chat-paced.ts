/** Streams at a model's pace: how late each chunk is. */
import type { Row } from '../row.ts'
import { loopLine, measureChat } from './chat.ts'

const intervalMs = 10

export const chatPacedRow: Row = {
  name: 'paced',
  what: `Chat, 64 streams at once, a chunk every ${intervalMs} ms on each, begun one after the other; delay is from the endpoint's write to the client's read.`,
  lines: [
    { label: 'chunk delay p50', figure: 'delayP50Ms', unit: 'ms', digits: 2, isAdded: true },
    {
      label: 'chunk delay p99',
      figure: 'delayP99Ms',
      unit: 'ms',
      digits: 2,
      isAdded: true,
      targets: [{ of: 'ours', atMost: 1.5 }],
    },
    { label: 'first chunk p50', figure: 'firstChunkP50Ms', unit: 'ms', digits: 2 },
    loopLine,
  ],
  measure: (bench) =>
    measureChat(bench, ['ours', 'floor', 'peer'], { kind: 'paced', connections: 64, chunks: 200, intervalMs }),
}
