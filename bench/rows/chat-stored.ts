/** Turns of stored conversations: both messages and the turn's row are committed before the answer is out. */
import type { Row } from '../row.ts'
import { loopLine, measureChat } from './chat.ts'

export const chatStoredRow: Row = {
  name: 'stored',
  what: 'Chat in stored conversations, 64 connections: ten turns in each conversation, then a new one.',
  lines: [
    { label: 'turns', figure: 'turnsPerS', unit: '1/s', targets: [{ of: 'ours', atLeast: 1_500 }] },
    { label: 'latency p50', figure: 'latencyP50Ms', unit: 'ms', digits: 2 },
    { label: 'latency p99', figure: 'latencyP99Ms', unit: 'ms', digits: 2 },
    loopLine,
    { label: 'processor time a turn', figure: 'processorUs', unit: 'µs', digits: 1 },
    { label: 'processor time of PostgreSQL a turn', figure: 'databaseUs', unit: 'µs', digits: 1 },
  ],
  measure: (bench) => measureChat(bench, ['ours'], { kind: 'stored', connections: 64, turnsEach: 10 }),
}
