/** Writes to a stream at the reader's pace. */
import type { StreamWriter } from '../server/stream-writer.ts'

/** @returns undefined where the next text may follow at once; else a promise that resolves when the reader has caught up, or is gone */
export function writeAtPace(out: StreamWriter, text: string): Promise<void> | undefined {
  return out.write(text) ? undefined : caughtUp(out)
}

/** Resolves when the reader has read what was written, or is gone. */
export async function caughtUp(out: StreamWriter): Promise<void> {
  if (out.signal.aborted) return
  await new Promise<void>((resolve) => {
    // The listener is removed each time: a long answer waits thousands of times on one signal.
    const go = () => {
      out.signal.removeEventListener('abort', go)
      resolve()
    }
    out.signal.addEventListener('abort', go)
    out.onDrain(go)
  })
}
