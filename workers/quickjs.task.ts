/** What the thread that runs JavaScript in QuickJS takes and returns. */

export interface QuickjsTask {
  code: string
  stdin: string
  timeoutMs: number
  memoryBytes: number
  stackBytes: number
  /** Of stdout and of stderr, each. */
  outputBytes: number
}

export interface QuickjsOutput {
  text: string
  droppedBytes: number
}

export interface QuickjsResult {
  end: 'exited' | 'timed_out' | 'memory_limit'
  hasFailed: boolean
  stdout: QuickjsOutput
  stderr: QuickjsOutput
  /** Of the last expression; absent: it has none. */
  value?: string
}

export const quickjsFile = new URL('./quickjs.ts', import.meta.url)
