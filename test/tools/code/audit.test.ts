import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../runtime/time/clock.ts'
import { listAudit } from '../../../store/audit/audit.ts'
import { firstWorkspaceId } from '../../../store/id.ts'
import { codeExec } from '../../../tools/code-exec.ts'
import type { Tool } from '../../../tools/tool.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { call, testDependencies, testTurn } from '../support/call.ts'

let fresh: FreshDatabase
const opened: Tool[] = []

beforeAll(async () => {
  fresh = await freshDatabase()
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((tool) => tool.close?.()))
})

afterAll(() => fresh.drop())

function open(db = fresh.db) {
  const dependencies = testDependencies({ SERVICE_CODE_EXEC: '1' }, systemClock, db)
  const tool = codeExec(dependencies)
  if (tool === undefined) throw new Error('the tool is off')
  opened.push(tool)
  return { tool, dependencies }
}

const entries = () => listAudit(fresh.db, firstWorkspaceId, { before: null, limit: 10 })

test('each run stands in the audit log with its sandbox, its language and its turn, and without its code', async () => {
  const { tool, dependencies } = open()
  await call(tool, { language: 'js', code: '"not told"' }, { dependencies })
  expect(await entries()).toMatchObject([
    {
      actor: 'agent',
      action: 'tool.code_exec',
      target: testTurn,
      requestId: testTurn,
      ip: '',
      detail: { before: null, after: { sandbox: 'quickjs', language: 'javascript' } },
    },
  ])
  expect(JSON.stringify(await entries())).not.toContain('not told')
  await call(tool, { language: 'js', code: 'throw 1' }, { dependencies })
  expect(await entries()).toHaveLength(2)
})

test('code that nothing runs has not run, and no entry says so', async () => {
  const before = await entries()
  const { tool, dependencies } = open()
  await expect(call(tool, { language: 'cobol', code: 'x' }, { dependencies })).rejects.toMatchObject({
    code: 'language_refused',
  })
  expect(await entries()).toEqual(before)
})

test('what cannot be written into the audit log is not run', async () => {
  const closed = await freshDatabase()
  await closed.drop()
  const { tool, dependencies } = open(closed.db)
  await expect(call(tool, { language: 'js', code: '1' }, { dependencies })).rejects.toThrow()
  expect(dependencies.lines.map(({ msg }) => msg)).not.toContain('code has run')
})
