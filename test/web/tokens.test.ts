/** The contrast of the UI's colours, in both themes, as WCAG 2.2 AA wants it: over the tokens, so no page can be forgotten. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../web/app/tokens.css', import.meta.url), 'utf8')

/** The hexadecimal colours of a rule. */
function coloursOf(selector: string): Record<string, string> {
  const start = css.indexOf(`\n${selector} {`)
  const rule = css.slice(start, css.indexOf('\n}', start))
  return Object.fromEntries([...rule.matchAll(/--([\w-]+): (#[\da-f]{3,6});/g)].map(([, name, value]) => [name, value]))
}

const light = coloursOf(':root')
const dark = { ...light, ...coloursOf(':root[data-mantine-color-scheme="dark"]') }

function luminance(hex: string): number {
  const whole = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1)
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const channel = Number.parseInt(whole.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

const grounds = ['bg', 'sub', 'inset', 'raised', 'hover', 'selected']
const states = ['ok', 'warn', 'bad', 'idle', 'run', 'wait']
const surfaces = ['bg', 'raised', 'sub']

/** What is written on what: 4.5 : 1. */
const words: [string, string][] = [
  ...['text', 'text-2', 'text-3'].flatMap((name) => grounds.map((on): [string, string] => [name, on])),
  ...['accent'].flatMap((name) =>
    ['bg', 'raised', 'sub', 'selected', 'hover'].map((on): [string, string] => [name, on]),
  ),
  ...states.flatMap((name) =>
    [`${name}-bg`, ...surfaces, 'hover', 'selected'].map((on): [string, string] => [name, on]),
  ),
  ...['text', 'text-2'].flatMap((name) => states.map((state): [string, string] => [name, `${state}-bg`])),
  ['text', 'ins'],
  ['text', 'del'],
  ['on-accent', 'accent-fill'],
  ['on-accent', 'accent-hover'],
  ['on-accent', 'bad-fill'],
  ['on-wait', 'wait'],
]
/** What is drawn on what: 3 : 1. */
const marks: [string, string][] = [
  ...['control', 'focus', ...states.map((state) => `${state}-mark`)].flatMap((name) =>
    surfaces.map((on): [string, string] => [name, on]),
  ),
  ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].flatMap((name) => ['bg', 'raised'].map((on): [string, string] => [name, on])),
]

describe.each([
  ['light', light],
  ['dark', dark],
])('in the %s theme', (_name, colours) => {
  const tooFaint = (pairs: readonly [string, string][], least: number) =>
    pairs
      .map(([name, on]) => ({
        pair: `${name} on ${on}`,
        ratio: contrast(colours[name] ?? '#f00', colours[on] ?? '#f00'),
      }))
      .filter(({ ratio }) => ratio < least)
      .map(({ pair, ratio }) => `${pair}: ${ratio.toFixed(2)}`)

  it('words have a contrast of 4.5 to 1 at least', () => {
    expect(tooFaint(words, 4.5)).toEqual([])
  })
  it('marks, borders of fields and data series have 3 to 1 at least', () => {
    expect(tooFaint(marks, 3)).toEqual([])
  })
})

it('the dark theme has a value of its own for every colour', () => {
  const shared = ['on-accent']
  const missing = Object.keys(light).filter(
    (name) => !shared.includes(name) && !(name in coloursOf(':root[data-mantine-color-scheme="dark"]')),
  )
  expect(missing).toEqual([])
})
