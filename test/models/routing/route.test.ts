import { describe, expect, test } from 'vitest'
import { openSettings } from '../../../config/settings.ts'
import { factsOf } from '../../../models/routing/facts.ts'
import { bandOf, type RoutingModels, routeModel, routingModels } from '../../../models/routing/route.ts'
import type { ChatMessage } from '../../../models/transport.ts'
import { processorMs } from '../../support/processor-ms.ts'

const nobody: RoutingModels = { simple: '', standard: '', complex: '', strong: '', strongCharactersMin: 0 }
const tools = [{ type: 'function', function: { name: 'f' } }]

const factsFor = (text: string, parameters: Record<string, unknown> = {}) =>
  factsOf({ messages: [{ role: 'user', content: text }], parameters })

describe('the band of a request', () => {
  test.each([
    ['simple', 'Hi!'],
    ['simple', 'Спасибо, всё понятно'],
    ['simple', 'What is the capital of France?'],
    ['simple', 'Сколько будет 2 + 2?'],
    ['standard', 'Compare tea and coffee.'],
    ['standard', 'Сравни чай и кофе.'],
    ['standard', 'Fix this: ```x = 1```'],
    ['standard', `Please tidy this up: ${'some words '.repeat(40)}`],
    ['standard', 'Who? When? Why?'],
    ['complex', 'Analyse this step by step, compare the trade-offs and justify your design.'],
    ['complex', 'Проанализируй пошагово, сравни варианты и обоснуй выбор архитектуры: \n- один\n- два\n- три'],
    ['complex', `Refactor and optimise this:\n\`\`\`\ndef f(x):\n  return x\n\`\`\``],
    ['complex', 'Отрефактори, то есть проведи рефакторинг, и оптимизируй:\nfunction f() {\n}'],
    ['complex', 'word '.repeat(1_300)],
  ])('%s: %s', (band, text) => {
    expect(bandOf(factsFor(text))).toBe(band)
  })

  test('words count at their beginning only, and each once', () => {
    expect(factsFor('improved, unproven, redesigned; design design design').reasoningCues).toBe(1)
    expect(factsFor('неоптимизируемый; сравни, сравни').reasoningCues).toBe(1)
  })

  test('tools raise what is more than a few words', () => {
    expect(bandOf(factsFor('Thanks!', { tools }))).toBe('simple')
    expect(
      bandOf(factsFor('Look up the weather in Paris for me, and for the whole of the next week as well.', { tools })),
    ).toBe('standard')
  })

  test('only what was said since the last answer is judged; a long talk counts a little', () => {
    const past: ChatMessage[] = [
      { role: 'user', content: 'Analyse, compare, justify and optimise this design step by step' },
      { role: 'assistant', content: 'x'.repeat(50_000) },
    ]
    const thanks: ChatMessage = { role: 'user', content: 'Thanks!' }
    expect(bandOf(factsOf({ messages: [...past, thanks], parameters: {} }))).toBe('simple')
    const long = Array.from({ length: 10 }, () => past).flat()
    expect(bandOf(factsOf({ messages: [...long, thanks], parameters: {} }))).toBe('standard')
  })

  test('in the middle of a turn the question stands, results of tools are no words of a person', () => {
    const messages: ChatMessage[] = [
      { role: 'user', content: 'Hi!' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] },
      { role: 'tool', tool_call_id: 'a', content: 'x'.repeat(10_000) },
    ]
    expect(factsOf({ messages, parameters: {} })).toMatchObject({ characters: 3 })
  })

  test('parts of text are read, images are attachments', () => {
    const content = [
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url: 'x' } },
    ]
    expect(factsOf({ messages: [{ role: 'user', content }], parameters: {} })).toMatchObject({
      characters: 3,
      hasAttachments: true,
    })
  })
})

describe('the router', () => {
  const bands = { simple: 'Hi!', standard: 'Compare tea and coffee.', complex: 'x'.repeat(6_000) }
  test.each([
    [
      ['s', 'm', 'c'],
      ['s', 'm', 'c'],
    ],
    [
      ['', 'm', 'c'],
      ['m', 'm', 'c'],
    ],
    [
      ['s', '', 'c'],
      ['s', 'c', 'c'],
    ],
    [
      ['s', 'm', ''],
      ['s', 'm', 'm'],
    ],
    [
      ['s', '', ''],
      ['s', 's', 's'],
    ],
    [
      ['', 'm', ''],
      ['m', 'm', 'm'],
    ],
    [
      ['', '', 'c'],
      ['c', 'c', 'c'],
    ],
  ])(
    'with the bands %o gives simple, standard and complex to %o',
    ([simple = '', standard = '', complex = ''], given) => {
      const models = { ...nobody, simple, standard, complex, strong: 'never' }
      expect(Object.values(bands).map((text) => routeModel(factsFor(text), models))).toEqual(given)
    },
  )

  test('without bands and without a strong model has no say', () => {
    expect(routeModel(factsFor(bands.complex), nobody)).toBeUndefined()
  })
})

describe('the cascade', () => {
  test.each([
    [0, 3_999, undefined],
    [0, 4_000, 'strong'],
    [10, 9, undefined],
    [10, 10, 'strong'],
    [5_000, 4_999, undefined],
  ])('with the setting %i gives a text of %i characters to %s', (strongCharactersMin, length, model) => {
    const models = { ...nobody, strong: 'strong', strongCharactersMin }
    expect(routeModel(factsFor('x'.repeat(length)), models)).toBe(model)
  })

  test('gives what is complex to the strong model however short', () => {
    const short = factsFor('Prove it step by step, then compare and justify.')
    expect(routeModel(short, { ...nobody, strong: 'strong' })).toBe('strong')
  })
})

test('the settings are read as they are', () => {
  const settings = openSettings({
    environment: {
      SERVICE_ROUTER_SIMPLE_MODEL: 's',
      SERVICE_ROUTER_COMPLEX_MODEL: 'c',
      SERVICE_CASCADE_STRONG_MODEL: 'strong',
      SERVICE_CASCADE_MIN_CHARS: '7',
    },
    stored: new Map(),
  })
  expect(routingModels(settings)).toEqual({
    simple: 's',
    standard: '',
    complex: 'c',
    strong: 'strong',
    strongCharactersMin: 7,
  })
})

test('hostile texts of a megabyte are judged in time, whatever they repeat', async () => {
  for (const unit of ['\n', ' ', '-', '- ', '?', 'a', 'а', 'plan ', 'step-by-', '\n\t', 'at a', '`']) {
    const text = unit.repeat(1_000_000 / unit.length)
    // Some milliseconds; a pattern that goes back and forth would take minutes.
    expect(await processorMs(() => factsFor(text))).toBeLessThan(500)
  }
})
