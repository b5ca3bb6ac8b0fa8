/** Numbers, money and times as the UI writes them. */
import { describe, expect, it } from 'vitest'
import { bytesText, moneyText, numberText, percentText, shortNumberText } from '../../web/parts/format.ts'
import { axisTimes } from '../../web/parts/plot-shape.ts'

/** Narrow no-break spaces as plain ones. */
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('numbers', () => {
  it('are grouped, and a missing one is a dash, never 0', () => {
    expect(numberText(1_234, 'en')).toBe('1,234')
    expect(plain(numberText(12_486, 'ru'))).toBe('12 486')
    for (const write of [numberText, shortNumberText, percentText, bytesText]) expect(write(null, 'en')).toBe('–')
    expect(moneyText(undefined, 'USD', 'en')).toBe('–')
  })

  it('are shortened to three or four digits, and never to "1,000 k"', () => {
    expect(shortNumberText(980, 'en')).toBe('980')
    expect(plain(shortNumberText(18_432, 'en'))).toBe('18.4 k')
    expect(plain(shortNumberText(12_800_000, 'en'))).toBe('12.8 M')
    expect(plain(shortNumberText(999_960, 'en'))).toBe('1 M')
    expect(plain(shortNumberText(12_800_000, 'ru'))).toBe('12,8 млн')
  })

  it('of shares have a digit behind the point below ten percent', () => {
    expect(plain(percentText(0.064, 'en'))).toBe('6.4 %')
    expect(plain(percentText(0.82, 'en'))).toBe('82 %')
    expect(plain(percentText(0, 'en'))).toBe('0 %')
    expect(plain(percentText(0.064, 'ru'))).toBe('6,4 %')
  })

  it('of bytes are in powers of a thousand', () => {
    expect(plain(bytesText(0, 'en'))).toBe('0 B')
    expect(plain(bytesText(1_240_000, 'en'))).toBe('1.24 MB')
  })
})

describe('money', () => {
  it('has two digits, four below a cent, and says when it is less than the last of them', () => {
    expect(moneyText(7_620_000, 'USD', 'en')).toBe('$7.62')
    expect(moneyText(2_100, 'USD', 'en')).toBe('$0.0021')
    expect(moneyText(0, 'USD', 'en')).toBe('$0.00')
    expect(plain(moneyText(3, 'USD', 'en'))).toBe('< $0.0001')
    expect(plain(moneyText(7_620_000, 'USD', 'ru'))).toBe('7,62 $')
  })
})

it('a day that stands at several ticks of a plot is named once', () => {
  const dayS = 86_400
  const ticks = [0, dayS / 2, dayS, (3 * dayS) / 2]
  expect(axisTimes(ticks, { stepS: dayS, spanS: 7 * dayS }, 'en')).toEqual(['Jan 1', '', 'Jan 2', ''])
})
