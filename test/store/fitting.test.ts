/** Pages of what models write end where they are large, and the next one goes on there. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listApprovals } from '../../store/approvals.ts'
import { type ApprovalId, firstWorkspaceId, newTurnId, uuidOf } from '../../store/id.ts'
import { pendingApprovals } from '../../store/inbox/waiting.ts'
import { listSteps, unknownSteps } from '../../store/turns/steps.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** Each has a megabyte: as many as begin before the eighth mebibyte is over. */
const fittingRows = 9
const made = 20

test('approvals', async () => {
  const { db } = fresh
  await db.system`
    insert into approvals (id, workspace_id, turn_id, path, n, agent, tool, arguments, digest, expires_at)
    select gen_random_uuid(), ${uuidOf(firstWorkspaceId)}, gen_random_uuid(), '', 1, 'a', 't',
      json_build_object('text', repeat('x', 1000000)), gen_random_uuid(), now() + interval '1 hour' from generate_series(1, ${made})`
  const sizes: number[] = []
  let before: ApprovalId | null = null
  for (let isMore = true; isMore; ) {
    const page = await listApprovals(db, firstWorkspaceId, { status: 'pending', turnId: null }, { before, limit: 100 })
    sizes.push(page.approvals.length)
    before = page.approvals.at(-1)?.id ?? null
    isMore = page.isMore
  }
  expect(sizes).toEqual([fittingRows, fittingRows, made - 2 * fittingRows])
  const all = { status: null, turnId: null }
  const few = await listApprovals(db, firstWorkspaceId, all, { before: null, limit: 3 })
  expect([few.approvals.length, few.isMore]).toEqual([3, true])
  expect(await pendingApprovals(db, firstWorkspaceId, 100)).toHaveLength(fittingRows)
})

test('steps of a turn, and those whose outcome is unknown', async () => {
  const { db } = fresh
  const turn = newTurnId()
  await db.system`
    insert into turn_steps (turn_id, path, n, workspace_id, kind, status, name, digest, request, started_at)
    select ${uuidOf(turn)}, '', n, ${uuidOf(firstWorkspaceId)}, 'tool', 'unknown', 't', gen_random_uuid(),
      json_build_object('text', repeat('x', 1000000)), now() from generate_series(1, ${made}) as n`
  const pages: number[][] = []
  for (let offset = 0, isMore = true; isMore; ) {
    const page = await listSteps(db, firstWorkspaceId, turn, { offset, limit: 100 })
    pages.push(page.steps.map(({ n }) => n))
    offset += page.steps.length
    isMore = page.isMore
  }
  expect(pages.map(({ length }) => length)).toEqual([fittingRows, fittingRows, made - 2 * fittingRows])
  expect(pages.flat()).toEqual(Array.from({ length: made }, (_, at) => at + 1))
  expect(await unknownSteps(db, firstWorkspaceId, 100)).toHaveLength(fittingRows)
})
