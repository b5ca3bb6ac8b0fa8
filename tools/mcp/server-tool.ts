/** A listed tool as the rest of the service knows tools. */
import type { Tool } from '../tool.ts'
import type { Call } from './call.ts'
import type { McpLimits } from './limits.ts'
import type { ListedTool } from './listed-tool.ts'

/** The hints are the server's own claims. An operator who doubts them can require approval for the tool. */
export function toolFromListing(listed: ListedTool, limits: McpLimits, call: Call): Tool {
  const { name, description, parameters, isReadOnly, isIdempotent } = listed
  return {
    name,
    description,
    parameters,
    risk: isReadOnly ? 'read' : 'write',
    idempotency: isReadOnly || isIdempotent ? 'repeatable' : 'once',
    timeoutMs: limits.callMs,
    isUntrusted: true,
    needsGrant: true,
    prepare(args) {
      const record = args ?? {}
      if (!isRecord(record)) return { problem: 'arguments: must be an object' }
      const bytes = bytesOf(record)
      if (bytes === undefined || bytes > limits.argumentBytesMax)
        return { problem: `arguments: at most ${limits.argumentBytesMax} bytes of JSON` }
      // The server itself checks them against the schema, and the model gets its message. An untrusted schema is not run
      // here: one regular expression in it could block the main thread.
      return { run: (context) => call(listed, record, context) }
    },
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function bytesOf(value: unknown): number | undefined {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch {
    return undefined // nested too deep to be written
  }
}
