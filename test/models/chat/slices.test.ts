import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StreamReader } from '../../../models/chat/stream-reader.ts'
import type { ModelDelta } from '../../../models/transport.ts'
import { chunkOf, eventOf, usageChunk } from '../../support/model-endpoint.ts'
import { propertyRuns } from '../../support/property-runs.ts'

function read(slices: Buffer[]): { deltas: ModelDelta[]; said: string; isComplete: boolean } {
  const deltas: ModelDelta[] = []
  const reader = new StreamReader({ delta: (delta) => deltas.push(delta) > 0 }, 'm', {
    redact: (words) => words,
    settingKeys: { url: 'URL', key: 'KEY' },
    style: 'chat',
  })
  for (const slice of slices) reader.data(slice)
  reader.end()
  return { deltas, said: reader.answerText, isComplete: reader.isComplete }
}

function cutAt(bytes: Buffer, places: number[]): Buffer[] {
  const cuts = [...new Set(places.map((place) => place % bytes.length))].toSorted((one, other) => one - other)
  return [...cuts, bytes.length].map((end, at) => bytes.subarray(cuts[at - 1] ?? 0, end))
}

/** The text of each event, whether it came alone or in a run. */
function piecesOf(delta: ModelDelta): string[] {
  if (delta.kind !== 'text') return []
  return delta.pieces?.map((piece) => JSON.parse(`"${piece}"`)) ?? [delta.text]
}

/** What endpoints put between plain chunks: comments, other line ends, fields nobody needs, changed envelopes. */
const between = fc.constantFrom('', '', '', ': ping\n\n', 'event: message\n', '\n', 'retry: 5\n\n')
const words = fc.oneof(
  fc.constantFrom('plain', ' token', 'a "quote"', '\\', 'line\nbreak', '🦆', 'ß', ' ', '","x":"', 'data: {'),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()),
)

test('however the bytes are cut, and whatever stands between the events, the same is told', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(between, words, fc.boolean()), { maxLength: 40 }),
      fc.array(fc.nat(100_000), { maxLength: 30 }),
      (told, places) => {
        const text = told
          .map(([before, content, isOdd]) => {
            const chunk = chunkOf({ content })
            return before + eventOf(isOdd ? { ...chunk, created: 1_800_000_000 } : chunk)
          })
          .join('')
        const bytes = Buffer.from(
          text + eventOf(chunkOf({}, { finish: 'stop' })) + eventOf(usageChunk()) + eventOf('[DONE]'),
        )
        const outcome = read(cutAt(bytes, places))
        const joinedText = told.map(([, content]) => content).join('')
        expect(outcome.said).toBe(joinedText)
        expect(outcome.deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('')).toBe(joinedText)
        expect(outcome.deltas.flatMap(piecesOf)).toEqual(
          told.map(([, content]) => content).filter((content) => content !== ''),
        )
        expect(outcome.isComplete).toBe(true)
        expect(outcome.deltas.at(-1)).toMatchObject({ kind: 'finish' })
      },
    ),
    { numRuns: propertyRuns(300) },
  )
})

test('a content that looks like the end of an event is content', () => {
  const contents = ['one', 'two', 'x\n\ndata: [DONE]\n\n', 'data: [DONE]', 'four']
  const bytes = Buffer.from(
    contents.map((content) => eventOf(chunkOf({ content }))).join('') + eventOf(chunkOf({}, { finish: 'stop' })),
  )
  for (let size = 1; size < 64; size++) {
    const slices = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    )
    expect(read(slices).said).toBe(contents.join(''))
  }
})

test('events in a row that are alike are one delta, with the text of each as the endpoint wrote it', () => {
  const contents = ['one', 'two', 'a "quote"', '', '\\', 'five']
  const bytes = Buffer.from(
    contents.map((content) => eventOf(chunkOf({ content }))).join('') + eventOf(chunkOf({}, { finish: 'stop' })),
  )
  const firstEnds = bytes.indexOf('\n\n') + 2

  const { deltas } = read(cutAt(bytes, [firstEnds]))

  expect(deltas.slice(1, -1)).toEqual([
    { kind: 'text', choice: 0, text: 'one' },
    { kind: 'text', choice: 0, text: 'twoa "quote"\\five', pieces: ['two', 'a \\"quote\\"', '\\\\', 'five'] },
  ])
})

test('an endpoint that writes characters no JSON string may hold sends them in no run', () => {
  const plain = eventOf(chunkOf({ content: 'one' }))
  const bytes = Buffer.from(plain + plain.replace('one', 'a\tb') + plain + eventOf(chunkOf({}, { finish: 'stop' })))

  const { deltas, said } = read(cutAt(bytes, [plain.length]))

  expect(said).toBe('onea\tbone')
  expect(deltas.every((delta) => !('pieces' in delta))).toBe(true)
})
