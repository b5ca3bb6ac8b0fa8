/** How the process ends, as numbers: what a supervisor, ours or another, decides by. */

export const exitCode = {
  /** Stopped because it was told to. */
  ok: 0,
  /** Could not start, or could not finish its drain. */
  failed: 1,
  /** Too many uncaught exceptions: drained, wants a fresh start. As EX_SOFTWARE of sysexits. */
  defects: 70,
  /** The configuration is wrong: starting again would not help. As EX_CONFIG of sysexits. */
  configuration: 78,
} as const

/** Settings that were refused, or any error that says so itself by `exitCode`, also where it is the cause of another. */
export function exitCodeOf(error: unknown): number {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code, exitCode: own } = at as { code?: unknown; exitCode?: unknown }
    if (typeof own === 'number') return own
    if (code === 'settings_refused' || code === 'setting_refused') return exitCode.configuration
  }
  return exitCode.failed
}

/** A process that a signal ended, as a shell reports it. */
export function exitCodeOfSignal(signal: NodeJS.Signals, numbers: Record<string, number>): number {
  return 128 + (numbers[signal] ?? 0)
}
