/** How many turns each status, origin, model, agent and error code has: what a list can be narrowed to. */
import type { Database } from '../database.ts'
import type { WorkspaceId } from '../id.ts'
import { allOf } from '../postgres/sql.ts'
import { conditionsOf, rangeOf, type TurnFilter } from './list.ts'

/** Of each facet the most frequent values. */
export const facetValuesMax = 50
/** Only so many of the newest turns are counted. */
export const facetTurnsMax = 50_000

type FacetName = 'status' | 'origin' | 'model' | 'agent' | 'error'

export type TurnFacets = Record<FacetName, { value: string; count: number }[]> & { total: number; isEstimate: boolean }

/** Each facet's counts are under the other filters: what choosing another value of it would give. */
export async function turnFacets(db: Database, workspace: WorkspaceId, filter: TurnFilter): Promise<TurnFacets> {
  const matches = (without: FacetName | null) =>
    allOf(conditionsOf(without === null ? filter : { ...filter, [without]: undefined }))
  const rows = await db.forWorkspace(workspace)<{
    facet: FacetName | 'total' | 'scanned'
    value: string | null
    count: number
  }>`
    with scanned as materialized (
      select status, origin, model, agent, error_code, request_id, started_at from turns
      where ${allOf(rangeOf(workspace, filter, null))} order by id desc limit ${facetTurnsMax}
    ), counted as (
      select 'status' as facet, status as value, count(*) as count from scanned where ${matches('status')} group by status
      union all select 'origin', origin, count(*) from scanned where ${matches('origin')} group by origin
      union all select 'model', model, count(*) from scanned where ${matches('model')} and model <> '' group by model
      union all select 'agent', agent, count(*) from scanned where ${matches('agent')} and agent is not null group by agent
      union all select 'error', error_code, count(*) from scanned where ${matches('error')} and error_code is not null
        group by error_code
      union all select 'total', null, count(*) from scanned where ${matches(null)}
      union all select 'scanned', null, count(*) from scanned
    )
    select facet, value, count::integer from (
      select *, row_number() over (partition by facet order by count desc, value) as place from counted
    ) as placed
    where place <= ${facetValuesMax} order by facet, place`
  const countOf = (facet: 'total' | 'scanned') => rows.find((row) => row.facet === facet)?.count ?? 0
  const valuesOf = (facet: FacetName) =>
    rows.flatMap((row) => (row.facet === facet && row.value !== null ? [{ value: row.value, count: row.count }] : []))
  return {
    status: valuesOf('status'),
    origin: valuesOf('origin'),
    model: valuesOf('model'),
    agent: valuesOf('agent'),
    error: valuesOf('error'),
    total: countOf('total'),
    isEstimate: countOf('scanned') === facetTurnsMax,
  }
}
