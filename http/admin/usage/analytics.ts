/** `GET /v1/admin/analytics`: what was used in a time, by one thing at a time, beside the time before. */
import { z } from 'zod'
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import { originsInView, TurnOrigin } from '../../../store/turns/origin.ts'
import {
  type GroupBy,
  noUsage,
  readUsage,
  totalOf,
  type UsageGroup,
  type UsageQuestion,
  wholeHour,
} from '../../../store/usage/analytics.ts'
import { namesOf } from '../../../store/usage/names.ts'
import { admin } from '../../access.ts'
import { raw } from '../../answer.ts'
import { ApiError, badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { instant } from '../conversations/filter-query.ts'
import { type UsageLine, usageCsv } from './csv.ts'
import { UsageView, usageView } from './view.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000

const spansMax = { none: 3_700 * dayMs, hour: 31 * dayMs, day: 400 * dayMs }
/** Lines of a chart, each with up to 744 points. */
const seriesGroupsMax = 10

const groupings = [
  'none',
  'model',
  'agent',
  'agent_version',
  'key',
  'channel',
  'operator',
  'endpoint',
  'origin',
  'workspace',
] as const satisfies readonly GroupBy[]

const idPrefixes: Partial<Record<GroupBy, string>> = { key: 'key', channel: 'chan', operator: 'oper', workspace: 'ws' }

const Group = z.object({
  value: z.string().nullable().describe('The name or the id; null: of none.'),
  name: z.string().nullable().describe('Of an id, as long as it is there.'),
  usage: UsageView,
  before: UsageView.nullable().describe(
    'In the time before, without latency and first token; null: it was not asked for.',
  ),
})

const Analytics = z.object({
  from: z.iso.datetime(),
  until: z.iso.datetime(),
  before: z.object({ from: z.iso.datetime(), until: z.iso.datetime() }).nullable(),
  group_by: z.enum(groupings),
  bucket: z.enum(['none', 'hour', 'day']),
  total: UsageView,
  total_before: UsageView.nullable(),
  groups: z.array(Group).describe('Dearest first, then by turns.'),
  groups_total: z.int(),
  series: z
    .array(z.object({ at: z.iso.datetime(), value: z.string().nullable(), usage: UsageView }))
    .describe(
      'By time, of the groups listed. Where nothing was used there is no point. Latency and first token are measured in a series of one group alone: name it, or group by none.',
    ),
})

export const analytics = route({
  method: 'GET',
  path: '/v1/admin/analytics',
  summary: 'Usage over time',
  description:
    'Counted in whole hours, days and months of UTC, by when turns ended. Turns of evaluation and shadow runs are apart: name their origin to see them. ' +
    'group_by=workspace is for callers of the default workspace.',
  tag: 'usage',
  access: admin('usage.read'),
  query: z.object({
    from: instant.describe('From the beginning of its hour on; by default seven days before until.'),
    until: instant.describe('To the end of its hour; by default now.'),
    group_by: z.enum(groupings).default('none'),
    bucket: z
      .enum(['none', 'hour', 'day'])
      .default('none')
      .describe(
        `Adds a series: by hour for at most 31 days, by day for at most 400; of at most ${seriesGroupsMax} groups.`,
      ),
    value: z.string().max(256).optional().describe('Only this group. Empty: of none.'),
    origin: TurnOrigin.optional().describe('Only turns of this origin.'),
    compare: z.stringbool().default(false).describe('Adds the time before, of the same length.'),
    limit: z.coerce.number().int().min(1).max(500).default(50),
    offset: z.coerce.number().int().min(0).max(10_000).default(0),
    format: z.enum(['json', 'csv']).default('json'),
  }),
  answers: { 200: Analytics },
  async handle({ app, query, principal }) {
    const nowMs = app.clock.now()
    const untilMs = wholeHour((query.until?.getTime() ?? nowMs) + hourMs - 1)
    const fromMs = wholeHour(query.from?.getTime() ?? untilMs - 7 * dayMs)
    if (fromMs >= untilMs) throw badRequest('until is not later than from', 'until')
    if (untilMs - fromMs > spansMax[query.bucket])
      throw badRequest(`with bucket=${query.bucket} the time is ${spansMax[query.bucket] / dayMs} days at most`, 'from')
    const { group_by: groupBy, value, origin, bucket } = query
    if (groupBy === 'workspace' && principal.workspaceId !== defaultWorkspace(app))
      throw new ApiError('installation_only', 'The usage of other workspaces is for callers of the default workspace.')
    const question: UsageQuestion = {
      workspace: groupBy === 'workspace' ? null : principal.workspaceId,
      window: { fromMs, untilMs },
      groupBy,
      origins: origin ? [origin] : originsInView,
      ...(value !== undefined && { values: [bare(value)] }),
    }
    const beforeWindow = { fromMs: fromMs - (untilMs - fromMs), untilMs: fromMs }
    const before = { ...question, window: beforeWindow }
    const isOfAll = value === undefined && groupBy !== 'workspace'
    const [groups, earlier, earlierWhole] = await Promise.all([
      readUsage(app.db, question),
      query.compare ? readUsage(app.db, { ...before, withTimes: false }) : null,
      query.compare ? readUsage(app.db, isOfAll ? { ...before, groupBy: 'none' } : before) : null,
    ])
    const sorted = groups.toSorted(byWeight)
    const listed = sorted.slice(query.offset, query.offset + query.limit)
    const charted = listed.slice(0, seriesGroupsMax).map((group) => group.value)
    const series =
      bucket === 'none'
        ? []
        : await readUsage(app.db, { ...question, every: bucket, values: charted, withTimes: charted.length === 1 })
    const names = await namesOf(
      app.db,
      principal.workspaceId,
      groupBy,
      listed.map((group) => group.value),
    )
    const views = listed.map((group) => groupView(group, { groupBy, names, earlier }))
    const points = series
      .toSorted((one, other) => (one.atMs ?? 0) - (other.atMs ?? 0))
      .map(({ atMs, value: of, sums }) => ({ at: iso(atMs ?? 0), value: shown(groupBy, of), usage: usageView(sums) }))
    if (query.format === 'csv') {
      const lines: UsageLine[] =
        bucket === 'none'
          ? views.map((view) => ({
              at: iso(fromMs),
              value: view.value ?? '',
              name: view.name ?? '',
              usage: view.usage,
            }))
          : points.map((point) => ({ ...point, value: point.value ?? '', name: nameOf(names, point.value) ?? '' }))
      const days = [...new Set([iso(fromMs).slice(0, 10), iso(untilMs).slice(0, 10)])]
      const name = `usage-${groupBy}-${days.join('-')}.csv`
      return raw(200, 'text/csv; charset=utf-8', usageCsv(lines), {
        'content-disposition': `attachment; filename="${name}"`,
      })
    }
    return {
      from: iso(fromMs),
      until: iso(untilMs),
      before: earlier && { from: iso(beforeWindow.fromMs), until: iso(beforeWindow.untilMs) },
      group_by: groupBy,
      bucket,
      total: usageView(totalOf(groups)),
      total_before: earlierWhole && usageView(totalOf(earlierWhole)),
      groups: views,
      groups_total: sorted.length,
      series: points,
    }
  },
})

const iso = (ms: number): string => new Date(ms).toISOString()

/** An id as the store has it. */
const bare = (value: string): string => value.replace(/^(key|chan|oper|ws)_(?=[0-9a-f]{32}$)/, '')

function shown(groupBy: GroupBy, value: string): string | null {
  if (value === '') return null
  const prefix = idPrefixes[groupBy]
  return prefix ? `${prefix}_${value}` : value
}

const nameOf = (names: ReadonlyMap<string, string>, value: string | null): string | null =>
  value === null ? null : (names.get(bare(value)) ?? null)

function groupView(
  { value, sums }: UsageGroup,
  of: { groupBy: GroupBy; names: ReadonlyMap<string, string>; earlier: readonly UsageGroup[] | null },
): z.infer<typeof Group> {
  const { groupBy, names, earlier } = of
  const before = earlier && (earlier.find((group) => group.value === value)?.sums ?? noUsage())
  return {
    value: shown(groupBy, value),
    name: names.get(value) ?? null,
    usage: usageView(sums),
    before: before && usageView(before),
  }
}

function byWeight(one: UsageGroup, other: UsageGroup): number {
  const [first, second] = [one, other].map(({ sums }) => [...sums.cost.values()].reduce((sum, cost) => sum + cost, 0n))
  if (first !== second) return (first ?? 0n) < (second ?? 0n) ? 1 : -1
  return (
    other.sums.turns - one.sums.turns || other.sums.token_in - one.sums.token_in || one.value.localeCompare(other.value)
  )
}
