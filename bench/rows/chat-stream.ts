/** Streams as fast as their readers take them. */
import type { Row } from '../row.ts'
import { loopLine, measureChat, processorLines } from './chat.ts'

const chunks = 500

export const chatStreamRow: Row = {
  name: 'stream',
  what: `Chat, 32 streams at once, each of ${chunks} chunks in a burst of 16 a write.`,
  lines: [
    {
      label: 'chunks',
      figure: 'chunksPerS',
      unit: '1/s',
      targets: [{ of: 'ours/floor', atLeast: 0.6 }],
    },
    { label: 'first chunk p50', figure: 'firstChunkP50Ms', unit: 'ms', digits: 2, isAdded: true },
    { label: 'first chunk p99', figure: 'firstChunkP99Ms', unit: 'ms', digits: 2 },
    loopLine,
    ...processorLines('chunk, of 200 a stream'),
  ],
  measure: (bench) =>
    measureChat(
      bench,
      ['ours', 'floor', 'peer'],
      { kind: 'burst', connections: 32, chunks },
      { kind: 'burst', connections: 32, chunks: 200 },
    ),
}
