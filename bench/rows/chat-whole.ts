/** Whole answers at several numbers of connections: how many a second, and what the service adds to the way. */
import type { Row } from '../row.ts'
import { loopLine, measureChat, processorLines } from './chat.ts'

export const chatWholeRows: Row[] = [1, 16, 64].map((connections) => ({
  name: `chat-${connections}`,
  what: `Chat, whole answers, ${connections} connection${connections === 1 ? '' : 's'}: keep-alive, each asks again as soon as it is answered.`,
  lines: [
    {
      label: 'requests',
      figure: 'requestsPerS',
      unit: '1/s',
      // One connection measures latency: its requests a second say the same once more.
      ...(connections > 1 && {
        targets: [
          { of: 'ours/floor', atLeast: 0.4 },
          { of: 'ours/peer', atLeast: 4 },
        ] as const,
      }),
    },
    {
      label: 'latency p50',
      figure: 'latencyP50Ms',
      unit: 'ms',
      digits: 2,
      isAdded: true,
      ...(connections === 1 && { targets: [{ of: 'ours-floor', atMost: 0.3 }] as const }),
    },
    { label: 'latency p99', figure: 'latencyP99Ms', unit: 'ms', digits: 2 },
    loopLine,
    ...(connections === 64
      ? [
          ...processorLines('request'),
          {
            label: 'processor time of PostgreSQL a request',
            figure: 'databaseUs',
            unit: 'µs',
            digits: 1,
            targets: [{ of: 'ours', atMost: 25 }] as const,
          },
        ]
      : []),
  ],
  measure: (bench) => {
    const work = { kind: 'whole', connections } as const
    return measureChat(bench, ['ours', 'floor', 'peer'], work, connections === 64 ? work : undefined)
  },
}))
