/** Exit codes of the process. A supervisor, ours or another, decides by them whether to start it again. */

export const exitCode = {
  /** Stopped on request. */
  ok: 0,
  /** Could not start, or could not finish its drain. */
  failed: 1,
  /** Too many uncaught exceptions: drained, to be started again. As EX_SOFTWARE of sysexits. */
  defects: 70,
  /** The configuration is wrong: starting again would not help. As EX_CONFIG of sysexits. */
  configuration: 78,
} as const

const ofConfiguration: ReadonlySet<string> = new Set(['settings_refused', 'setting_refused', 'seal_broken'])

/** The code for an error at the start: its own `exitCode`, or that of refused settings and another master key. Causes are searched too. */
export function exitCodeOf(error: unknown): number {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code, exitCode: own } = at as { code?: unknown; exitCode?: unknown }
    if (typeof own === 'number') return own
    if (typeof code === 'string' && ofConfiguration.has(code)) return exitCode.configuration
  }
  return exitCode.failed
}

/** The code of a process that a signal ended, as shells report it. */
export function exitCodeOfSignal(signal: NodeJS.Signals, numbers: Record<string, number>): number {
  return 128 + (numbers[signal] ?? 0)
}
