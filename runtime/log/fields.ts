/** Log fields as plain, bounded, redacted data: whatever the caller logs, its line stays small and safe. */
import { isSecretName, redacted } from './redact.ts'

const depthMax = 8
const stringLengthMax = 8_192
const itemsMax = 100
/** Values in one line altogether: each limit above holds for one object, and many objects could still be huge. */
const valuesMax = 1_000
const causesMax = 5

interface Budget {
  values: number
}

/** A copy of `fields` that JSON.stringify takes as it is. Never throws. */
export function plainFields(fields: Record<string, unknown>): Record<string, unknown> {
  try {
    return plainObject(fields, { values: valuesMax }, 0)
  } catch (error) {
    return { unloggable: error instanceof Error ? error.message : 'the fields could not be read' }
  }
}

function plain(value: unknown, budget: Budget, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return shortened(value)
    case 'bigint':
      return value.toString()
    case 'function':
    case 'symbol':
      return undefined
    case 'object':
      return value === null ? null : plainReference(value, budget, depth)
    default:
      return value
  }
}

function plainReference(value: object, budget: Budget, depth: number): unknown {
  if (budget.values-- <= 0) return '[more]'
  if (value instanceof Error) return plainError(value, budget, depth, causesMax)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (depth >= depthMax) return Array.isArray(value) ? '[array]' : '[object]'
  if (Array.isArray(value)) return plainArray(value, budget, depth)
  if (value instanceof Map) return plainObject(Object.fromEntries(firstItems(value)), budget, depth)
  if (value instanceof Set) return plainArray(firstItems(value), budget, depth)
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') return plain(jsonOf(value, toJSON as () => unknown), budget, depth + 1)
  return plainObject(value as Record<string, unknown>, budget, depth)
}

function plainArray(values: readonly unknown[], budget: Budget, depth: number): unknown[] {
  const copy: unknown[] = []
  for (const value of values.slice(0, itemsMax)) {
    if (budget.values <= 0) break
    copy.push(plainItem(value, budget, depth) ?? null)
  }
  if (copy.length < values.length) copy.push(`[${values.length - copy.length} more]`)
  return copy
}

function plainItem(value: unknown, budget: Budget, depth: number): unknown {
  budget.values--
  return plain(value, budget, depth + 1)
}

function plainObject(source: Record<string, unknown>, budget: Budget, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  let fields = 0
  for (const name in source) {
    if (!Object.hasOwn(source, name)) continue
    if (fields++ >= itemsMax || budget.values-- <= 0) {
      copy['more'] = '[more]'
      break
    }
    const value = fieldOf(source, name)
    if (value === undefined || name === '__proto__') continue
    copy[name] = isSecretName(name) ? redactedValue(value) : plain(value, budget, depth + 1)
  }
  return copy
}

/** `toJSON` is foreign code: it may throw. */
function jsonOf(value: object, toJSON: (this: object) => unknown): unknown {
  try {
    return toJSON.call(value)
  } catch {
    return '[unreadable]'
  }
}

/** A getter may throw. */
function fieldOf(source: Record<string, unknown>, name: string): unknown {
  try {
    return source[name]
  } catch {
    return '[unreadable]'
  }
}

/** Whether a secret is set may be logged: it gives nothing away. */
function redactedValue(value: unknown): unknown {
  return value === null || typeof value === 'boolean' ? value : redacted
}

/** Type, message, code, stack, cause, and the error's own fields, where typed errors carry their details. */
function plainError(error: Error, budget: Budget, depth: number, causesLeft: number): Record<string, unknown> {
  const { message, stack, cause } = error
  const { code, errors } = error as { code?: unknown; errors?: unknown }
  const own = depth >= depthMax ? {} : plainObject({ ...error }, budget, depth)
  for (const name of ['name', 'message', 'stack', 'cause', 'errors']) delete own[name]
  const copy: Record<string, unknown> = { type: error.name, message: shortened(String(message)) }
  if (code !== undefined) copy['code'] = plain(code, budget, depth + 1)
  if (typeof stack === 'string') copy['stack'] = shortened(stack)
  if (cause !== undefined) copy['cause'] = causeOf(cause, budget, depth, causesLeft)
  if (Array.isArray(errors)) copy['errors'] = errors.slice(0, 5).map((one) => causeOf(one, budget, depth, causesLeft))
  return { ...own, ...copy }
}

function causeOf(cause: unknown, budget: Budget, depth: number, causesLeft: number): unknown {
  if (!(cause instanceof Error)) return plain(cause, budget, depth + 1)
  if (causesLeft <= 0 || budget.values-- <= 0) return '[more]'
  return plainError(cause, budget, depth, causesLeft - 1)
}

function firstItems<Item>(items: Iterable<Item>): Item[] {
  const first: Item[] = []
  for (const item of items) {
    if (first.length >= itemsMax) break
    first.push(item)
  }
  return first
}

function shortened(text: string): string {
  if (text.length <= stringLengthMax) return text
  return `${text.slice(0, stringLengthMax)}… [${text.length - stringLengthMax} more]`
}
