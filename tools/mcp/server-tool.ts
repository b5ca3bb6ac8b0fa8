/** A listed tool as the rest of the service knows tools. */
import type { Tool } from '../tool.ts'
import type { Call } from './call.ts'
import type { McpLimits } from './limits.ts'
import type { ListedTool } from './listed-tool.ts'

/** The hints are the server's own word. An operator who doubts it puts the tool on the list of those that need approval. */
export function toolFromListing(listed: ListedTool, limits: McpLimits, call: Call): Tool {
  const { name, description, parameters, isReadOnly, isIdempotent } = listed
  return {
    ...{ name, description, parameters },
    risk: isReadOnly ? 'read' : 'write',
    idempotency: isReadOnly || isIdempotent ? 'repeatable' : 'once',
    timeoutMs: limits.callMs,
    isUntrusted: true,
    prepare(given) {
      const record = given ?? {}
      if (!isRecord(record)) return { problem: 'arguments: must be an object' }
      const bytes = bytesOf(record)
      if (bytes === undefined || bytes > limits.argumentBytesMax)
        return { problem: `arguments: at most ${limits.argumentBytesMax} bytes of JSON` }
      // Whether they fit the schema is the server's to say, and its words reach the model. A stranger's schema is not
      // run here: one regular expression in it could hold up everybody.
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
