/** Numbers, shares, money and sizes as people read them, in the UI's language. `–` for nothing, never 0. */
import type { Language } from '../text/text.ts'

/** Created once a shape: creating a formatter costs a hundred times more than using it. */
const formatters = new Map<string, Intl.NumberFormat>()

function formatter(language: Language, name: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${name}`
  let found = formatters.get(key)
  if (!found) {
    found = new Intl.NumberFormat(language, options)
    formatters.set(key, found)
  }
  return found
}

type Maybe = number | null | undefined

/** 1,234 */
export function numberText(value: Maybe, language: Language): string {
  return value == null ? '–' : formatter(language, 'number', { maximumFractionDigits: 0 }).format(value)
}

/** 980, 18.4 k, 12.8 M: for tokens and counts where the last digits say nothing. */
export function shortNumberText(value: Maybe, language: Language): string {
  if (value == null) return '–'
  const units = language === 'ru' ? ['', 'тыс.', 'млн', 'млрд'] : ['', 'k', 'M', 'B']
  let scaled = value
  let unit = 0
  while (Math.abs(scaled) >= 1_000 && unit < units.length - 1) {
    scaled /= 1_000
    unit += 1
  }
  // 999,950 would read "1,000 k".
  if (unit > 0 && unit < units.length - 1 && Math.abs(scaled) >= 999.95) {
    scaled /= 1_000
    unit += 1
  }
  const digits = formatter(language, `short ${Math.min(unit, 1)}`, { maximumFractionDigits: Math.min(unit, 1) }).format(
    unit === 0 ? Math.round(scaled) : Math.round(scaled * 10) / 10,
  )
  return unit === 0 ? digits : `${digits}\u202f${units[unit]}`
}

/** 6.4 %: of a share from 0 to 1. */
export function percentText(share: Maybe, language: Language): string {
  if (share == null) return '–'
  const percent = share * 100
  const options = { maximumFractionDigits: percent !== 0 && Math.abs(percent) < 10 ? 1 : 0 }
  return `${formatter(language, `percent ${options.maximumFractionDigits}`, options).format(percent)}\u202f%`
}

/**
 * $0.0021, $7.62: four digits below a cent, else two; what is less than the last digit says so.
 * @param micros millionths of the currency's unit
 * @param currency by ISO 4217, such as `USD`
 */
export function moneyText(micros: Maybe, currency: string, language: Language): string {
  if (micros == null) return '–'
  const amount = micros / 1_000_000
  const digits = amount !== 0 && Math.abs(amount) < 0.01 ? 4 : 2
  const format = formatter(language, `money ${currency} ${digits}`, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  if (amount > 0 && amount < 0.00005) return `<\u202f${format.format(0.0001)}`
  return format.format(amount)
}

/** $2.50, $0.075, $0.000125: what one thing costs, to the last digit that it has. */
export function priceText(amount: number, currency: string, language: Language): string {
  return formatter(language, `price ${currency}`, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: 12,
  }).format(amount)
}

/** 1.2 MB, in powers of 1,000. */
export function bytesText(bytes: Maybe, language: Language): string {
  if (bytes == null) return '–'
  const units = language === 'ru' ? ['Б', 'КБ', 'МБ', 'ГБ', 'ТБ'] : ['B', 'kB', 'MB', 'GB', 'TB']
  const unit = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const scaled = bytes / 1_000 ** unit
  return `${formatter(language, 'bytes', { maximumSignificantDigits: 3 }).format(scaled)}\u202f${units[unit]}`
}
