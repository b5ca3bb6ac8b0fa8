/** What is put together of a stream, whatever an endpoint makes of it. */
import { expect, test } from 'vitest'
import { streamTranscript } from '../../../../actors/agent/model/stream-transcript.ts'

test('annotations that come in pieces are one list, and the pieces stay as they were', () => {
  const transcript = streamTranscript()
  const first = [{ type: 'url_citation' }]
  transcript.add({ kind: 'raw', choice: 0, delta: { content: 'a', annotations: first } })
  transcript.add({ kind: 'raw', choice: 0, delta: { annotations: [{ type: 'file_citation' }] } })
  transcript.add({ kind: 'raw', choice: 0, delta: { content: 'b' } })
  transcript.add({ kind: 'finish', choice: 0, finishReason: 'stop' })
  expect(transcript.choices()).toEqual([
    {
      index: 0,
      message: { role: 'assistant', content: 'ab', annotations: [{ type: 'url_citation' }, { type: 'file_citation' }] },
      finish_reason: 'stop',
    },
  ])
  expect(first).toHaveLength(1)
})

test('an endpoint that sends annotations or fields without end costs no more for each, and is kept up to a bound', () => {
  const transcript = streamTranscript()
  const startMs = performance.now()
  for (let at = 0; at < 100_000; at++)
    transcript.add({ kind: 'raw', choice: 0, delta: { annotations: [{ at }], [`field_${at}`]: at } })
  // Copied each time they take more than ten seconds.
  expect(performance.now() - startMs).toBeLessThan(2_000)
  const { message } = transcript.choices()[0] ?? {}
  expect(message?.['annotations']).toHaveLength(10_000)
  expect(Object.keys(message ?? {})).toHaveLength(1_000 + ['role', 'content'].length)
})
