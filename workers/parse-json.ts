/** Parses a large JSON text, which would hold the event loop. */
import type { ParseJsonResult, ParseJsonTask } from './parse-json.task.ts'

export default function parseJson({ bytes }: ParseJsonTask): ParseJsonResult {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { parserMessage: error instanceof Error ? error.message : '' }
  }
}
