/** Keeps secrets out of log lines: by the name of a field at any depth, and by the look of a value anywhere. */

const secretName =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|secret|token|api_?key|master_?key|private_?key|credentials?|dsn|database_?url)$|(_|-)(secret|token|password|api_key|apikey)$|(Secret|Token|Password|ApiKey)$/i

/** Our own keys, bearer headers, and the password inside a URL. */
const secretValue =
  /\bsk-[A-Za-z0-9_-]{8,}|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}|(?<=:\/\/[^\s/:@"]{0,100}:)[^\s/@"]+(?=@)/g

export const redacted = '[redacted]'

const depthMax = 8
const entriesMax = 100

/** A copy without secrets, bounded in depth and width. Errors become plain objects with their causes. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (depth >= depthMax) return '[deeper]'
  if (value instanceof Error) return errorFields(value, depth)
  if (value instanceof Date || ArrayBuffer.isView(value))
    return ArrayBuffer.isView(value) ? `[${value.byteLength} bytes]` : value
  if (Array.isArray(value)) return value.slice(0, entriesMax).map((item) => redactValue(item, depth + 1))
  const copy: Record<string, unknown> = {}
  let entries = 0
  for (const [name, item] of Object.entries(value)) {
    if (entries++ === entriesMax) break
    copy[name] = secretName.test(name) && item !== null && item !== undefined ? redacted : redactValue(item, depth + 1)
  }
  return copy
}

function errorFields(error: Error, depth: number): Record<string, unknown> {
  const { name, message, stack, cause, ...own } = error as Error & Record<string, unknown>
  return {
    type: error.name,
    message: error.message,
    ...(redactValue(own, depth + 1) as object),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: redactValue(error.cause, depth + 1) }),
  }
}

export function redactLine(line: string): string {
  return line.replace(secretValue, redacted)
}
