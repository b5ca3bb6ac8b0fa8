/** Steps of a turn as a tree of branches: the main loop, and below it candidates, plan steps and sub-agents by their paths. */

interface TimedStep {
  path: string
  n: number
  started_at: string
  duration_ms: number | null
}

export interface Branch<Step extends TimedStep> {
  path: string
  /** The last part of the path. */
  name: string
  depth: number
  beginMs: number
  endMs: number
  steps: Step[]
}

/** The time span of a turn; running steps end now. */
export interface Span {
  beginMs: number
  endMs: number
}

export function spanOf(steps: readonly TimedStep[], nowMs: number): Span {
  const begins = steps.map((step) => Date.parse(step.started_at))
  const ends = steps.map((step) => endOf(step, nowMs))
  const beginMs = begins.reduce((least, ms) => Math.min(least, ms), begins[0] ?? nowMs)
  return { beginMs, endMs: ends.reduce((most, ms) => Math.max(most, ms), beginMs + 1) }
}

export const endOf = ({ started_at, duration_ms }: TimedStep, nowMs: number): number =>
  duration_ms === null ? Math.max(nowMs, Date.parse(started_at)) : Date.parse(started_at) + duration_ms

/** A decision that was waited for: it lies between the steps. */
export interface Wait extends TimedStep {
  tool: string
  decidedBy: string | null
}

interface Decided {
  path: string
  tool: string
  requested_at: string
  decided_at: string | null
  decided_by: string | null
}

/** Of those that are decided; what still waits is a step that says so. */
export const waitsOf = (approvals: readonly Decided[]): Wait[] =>
  approvals.flatMap(({ path, tool, requested_at, decided_at, decided_by }) =>
    decided_at === null
      ? []
      : [
          {
            ...{ path, tool, n: -1, started_at: requested_at, decidedBy: decided_by },
            duration_ms: Math.max(0, Date.parse(decided_at) - Date.parse(requested_at)),
          },
        ],
  )

/** The steps of a branch, each wait before the step that it held up. */
export function withWaits<Step extends TimedStep>(
  { path, steps }: Branch<Step>,
  waits: readonly Wait[],
): ({ is: 'step'; step: Step } | { is: 'wait'; wait: Wait })[] {
  const own = waits
    .filter((wait) => wait.path === path)
    .toSorted((one, other) => Date.parse(one.started_at) - Date.parse(other.started_at))
  const rows = steps.flatMap((step) => {
    const before = own.filter(({ started_at }) => Date.parse(started_at) <= Date.parse(step.started_at))
    own.splice(0, before.length)
    return [...before.map((wait) => ({ is: 'wait' as const, wait })), { is: 'step' as const, step }]
  })
  return [...rows, ...own.map((wait) => ({ is: 'wait' as const, wait }))]
}

/** Each branch right after its parent, siblings by their start; steps in order. */
export function branchesOf<Step extends TimedStep>(steps: readonly Step[], nowMs: number): Branch<Step>[] {
  const byPath = new Map<string, Step[]>()
  for (const step of steps) {
    const own = byPath.get(step.path)
    if (own) own.push(step)
    else byPath.set(step.path, [step])
  }
  const branches = [...byPath].map(([path, own]): Branch<Step> => {
    const parts = path === '' ? [] : path.split('/')
    const ordered = own.sort((one, other) => one.n - other.n)
    return { path, name: parts.at(-1) ?? '', depth: parts.length, ...spanOf(own, nowMs), steps: ordered }
  })
  const begunAt = new Map(branches.map((branch) => [branch.path, branch.beginMs]))
  return branches
    .map((branch) => ({ branch, order: placesOf(branch.path, begunAt) }))
    .sort((one, other) => compared(one.order, other.order))
    .map(({ branch }) => branch)
}

/** The start times of its ancestors and itself, from the root. */
function placesOf(path: string, begunAt: ReadonlyMap<string, number>): [number, string][] {
  if (path === '') return []
  const parts = path.split('/')
  return parts.map((part, at) => [begunAt.get(parts.slice(0, at + 1).join('/')) ?? 0, part])
}

function compared(one: [number, string][], other: [number, string][]): number {
  for (const [at, [ms, name]] of one.entries()) {
    const against = other[at]
    if (!against) return 1
    if (name !== against[1]) return ms - against[0] || (name < against[1] ? -1 : 1)
  }
  return one.length - other.length
}
