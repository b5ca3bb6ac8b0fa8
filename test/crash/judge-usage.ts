/** The reckoning of usage: entries, the turns' rows, what is kept of sums, and what the model endpoint itself has counted. */
import type { Database } from '../../store/database.ts'
import { firstWorkspaceId } from '../../store/id.ts'
import { TurnOrigin } from '../../store/turns/origin.ts'
import { readUsage, type UsageSums, wholeHour } from '../../store/usage/analytics.ts'
import type { ModelCounts } from './outside.ts'

interface Entries {
  turns: string
  calls: string
  unknown: string
  tokens_in: string
  tokens_out: string
  micro_units: string
  sure_in: string
  sure_out: string
}

const dayMs = 86_400_000

/** Of the script's longest turn, with a summary. */
const callsOfTurnMax = 5

export async function judgeUsage({ db, modelCounts }: { db: Database; modelCounts: ModelCounts }) {
  const wrongs: string[] = []
  // While some still run, their rows and the endpoint are ahead of the entries: the judge is asked again.
  const different = await db.system<{ id: string; status: string }>`
    with used as (
      select turn_id, sum(token_in) as token_in, sum(token_cached) as token_cached, sum(token_out) as token_out,
        sum(token_reasoning) as token_reasoning, sum(micro_units) as micro_units
      from usage_entries group by turn_id
    )
    select id::text, status from turns left join used on turn_id = id
    where coalesce(prompt_tokens, 0) <> coalesce(token_in, 0) or coalesce(completion_tokens, 0) <> coalesce(token_out, 0)
      or coalesce(cached_tokens, 0) <> coalesce(token_cached, 0) or coalesce(reasoning_tokens, 0) <> coalesce(token_reasoning, 0)
      or coalesce(cost_micro, 0) <> coalesce(micro_units, 0)
    limit 5`
  for (const { id, status } of different) wrongs.push(`the row of turn ${id} (${status}) is not the sum of its entries`)
  const [entries] = await db.system<Entries>`
    select count(status)::text as turns, coalesce(sum(call), 0)::text as calls, coalesce(sum(unknown), 0)::text as unknown,
      coalesce(sum(token_in), 0)::text as tokens_in, coalesce(sum(token_out), 0)::text as tokens_out,
      coalesce(sum(micro_units), 0)::text as micro_units,
      coalesce(sum(token_in) filter (where is_estimated is not true), 0)::text as sure_in,
      coalesce(sum(token_out) filter (where is_estimated is not true), 0)::text as sure_out
    from usage_entries`
  if (!entries) throw new Error('an aggregate has a row')
  wrongs.push(...wrongOfSums(entries, await keptSums(db)))
  const of = (name: keyof Entries): number => Number(entries[name])
  if (of('calls') > modelCounts.asked)
    wrongs.push(`${entries.calls} calls are counted, and the endpoint was asked ${modelCounts.asked} times`)
  if (of('sure_in') > modelCounts.tokensIn || of('sure_out') > modelCounts.tokensOut)
    wrongs.push(`more tokens are counted than the endpoint has: ${JSON.stringify({ entries, modelCounts })}`)
  const [again] = await db.system<{ attempts: number }>`
    select coalesce(sum(attempt - 1) filter (where attempt > 1), 0)::integer as attempts from turns`
  const lost = modelCounts.asked - of('calls')
  const interruptions = of('unknown') + (again?.attempts ?? 0)
  // Those under way at a fault; the turn was attempted again, or shows that its usage is unknown. One may be given back uncounted.
  if (lost > callsOfTurnMax * (interruptions + 1))
    wrongs.push(`${lost} calls of the endpoint are not counted, and ${interruptions} turns were interrupted`)
  const counts = {
    calls: of('calls'),
    calls_not_counted: lost,
    turns_unknown: of('unknown'),
    attempts_again: again?.attempts ?? 0,
    micro_units: of('micro_units'),
  }
  return { counts, wrongs }
}

async function keptSums(db: Database): Promise<UsageSums | undefined> {
  const untilMs = wholeHour(Date.now()) + dayMs
  const [group] = await readUsage(db, {
    ...{ workspace: firstWorkspaceId, window: { fromMs: untilMs - 2 * dayMs, untilMs }, groupBy: 'none' },
    origins: TurnOrigin.options,
    withTimes: false,
  })
  return group?.sums
}

/** Kept once each, whoever was killed while they were added. */
function wrongOfSums(entries: Entries, sums: UsageSums | undefined): string[] {
  const kept = {
    turns: sums?.turns ?? 0,
    calls: sums?.call ?? 0,
    unknown: sums?.unknown ?? 0,
    tokens_in: sums?.token_in ?? 0,
    tokens_out: sums?.token_out ?? 0,
    micro_units: Number(sums?.cost.get('USD') ?? 0n),
  }
  const wrong = (Object.keys(kept) as (keyof typeof kept)[]).filter((name) => kept[name] !== Number(entries[name]))
  return wrong.map((name) => `the sums have ${kept[name]} ${name}, the entries ${entries[name]}`)
}
