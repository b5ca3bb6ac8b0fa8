/** How much work a measurement does: enough for a figure, or just enough to see that the harness works. */

export interface Scale {
  /** Load before anything counts: compiled code, open connections, warm caches. */
  warmUpMs: number
  /** Load that counts. */
  measureMs: number
  /** Windows that alternate between ours and the floor, for processor time. */
  windows: number
  windowMs: number
  /** Intake by itself: long enough for a plan that decays to show. */
  intakeMs: number
  /** Readers of feeds, and open WebSockets. */
  feeds: number
  sockets: number
  /** Turns of an agent at once that work, and that wait for a model which never answers. */
  agentTurns: number
  hangingTurns: number
  /** Programs that each sandbox runs, one after the other. */
  programs: number
  /** Texts that the guard reads with cold caches. */
  inspections: number
  messages: number
  actors: number
  tasks: number
  /** Rows in the table that is said not to matter. */
  turnRows: number
  /** Turns with their usage, on which analytics are measured, and how often each query is asked. */
  usageTurns: number
  usageQueries: number
  /** Of each kind that the admin UI lists, and lines in its log. */
  uiRows: number
  uiLogLines: number
  /** For which a list is scrolled. */
  uiFrames: number
  /** How long a process is left alone before its idle memory is read. */
  settleMs: number
}

export const fullScale: Scale = {
  warmUpMs: 2_000,
  measureMs: 5_000,
  windows: 12,
  windowMs: 1_500,
  intakeMs: 30_000,
  feeds: 5_000,
  sockets: 10_000,
  agentTurns: 200,
  hangingTurns: 1_000,
  programs: 500,
  inspections: 300,
  messages: 2_000_000,
  actors: 100_000,
  tasks: 20_000,
  turnRows: 5_000_000,
  usageTurns: 10_000_000,
  usageQueries: 20,
  uiRows: 100_000,
  uiLogLines: 10_000,
  uiFrames: 300,
  settleMs: 5_000,
}

export const quickScale: Scale = {
  warmUpMs: 200,
  measureMs: 1_000,
  windows: 2,
  windowMs: 300,
  intakeMs: 2_000,
  feeds: 50,
  sockets: 300,
  agentTurns: 20,
  hangingTurns: 50,
  programs: 20,
  inspections: 20,
  messages: 50_000,
  actors: 2_000,
  tasks: 500,
  turnRows: 20_000,
  usageTurns: 20_000,
  usageQueries: 2,
  uiRows: 30_000,
  uiLogLines: 1_000,
  uiFrames: 60,
  settleMs: 500,
}
