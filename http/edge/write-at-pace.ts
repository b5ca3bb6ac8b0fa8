/** Text for a reader at the reader's pace: write, or wait until what was written has been read. */
import type { StreamWriter } from '../server/stream-writer.ts'

/** @returns undefined where the next text may follow at once; else what resolves when the reader has caught up, or is gone */
export function writeAtPace(out: StreamWriter, text: string): Promise<void> | undefined {
  return out.write(text) ? undefined : caughtUp(out)
}

/** Resolves when the reader has read what was written, or is gone. */
export async function caughtUp(out: StreamWriter): Promise<void> {
  if (out.signal.aborted) return
  await new Promise<void>((resolve) => {
    // Leaves nothing behind: a long answer waits thousands of times on one signal.
    const go = () => {
      out.signal.removeEventListener('abort', go)
      resolve()
    }
    out.signal.addEventListener('abort', go)
    out.onDrain(go)
  })
}
