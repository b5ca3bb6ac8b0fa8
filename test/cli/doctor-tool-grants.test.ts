/** What the doctor says of agents whose workspace is not granted the tools that they list. */
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { checkToolGrants } from '../../cli/doctor/tool-grants.ts'
import { openSettings } from '../../config/settings.ts'
import { commandName } from '../../runtime/command-name.ts'
import { createResolver } from '../../runtime/network/resolver.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { createAgent } from '../../store/agents.ts'
import { openDatabase } from '../../store/database.ts'
import { firstWorkspaceId, newWorkspaceId, type WorkspaceId } from '../../store/id.ts'
import { ensureWorkspace, setToolGrants } from '../../store/workspaces.ts'
import { grantlessTools } from '../../tools/grantless.ts'
import { openToolbox } from '../../tools/registry.ts'
import { operator } from './support/command.ts'

const settings = openSettings({ environment: {}, stored: new Map() })
const sales = newWorkspaceId()

const found = (tools: string[], granted: string[], workspaceId: WorkspaceId = sales) =>
  checkToolGrants(settings, {
    listings: [{ workspaceId, name: 'support', tools }],
    grants: [
      { id: firstWorkspaceId, name: 'default', tools: [] },
      { id: sales, name: 'Sales', tools: granted },
    ],
  })

test('workspace, agent and tools are named, with the command that grants them beside what is granted already', () => {
  expect(found(['http_request', 'calculator', 'crm__*', 'web_fetch'], ['web_fetch', 'files__*'])).toEqual([
    {
      check: 'tools of agents',
      state: 'warning',
      found: `in Sales (${sales}) support lists http_request, crm__*, which the workspace is not granted`,
      advice: `If it may use them: ${commandName()} tools grant ${sales} web_fetch 'files__*' http_request 'crm__*'`,
    },
  ])
})

test.each([
  ['granted by its name', ['http_request'], ['http_request']],
  ['granted by its beginning', ['crm__orders'], ['crm__*']],
  ['a beginning that covers a grant', ['crm__*'], ['crm__orders']],
  ['everything', ['http_request', '*'], ['*']],
  ['all that there is', ['*'], []],
  ['what needs no grant', [...grantlessTools], []],
])('%s is no finding', (_what, tools, granted) => {
  expect(found(tools, granted)).toEqual([
    { check: 'tools of agents', state: 'ok', found: 'what they list is granted to their workspaces' },
  ])
})

test('a beginning of another name is none of a tool', () => {
  expect(found(['http'], ['http_request'])).toMatchObject([{ state: 'warning' }])
  expect(found(['http_request'], ['http'])).toMatchObject([{ state: 'warning' }])
  expect(found(['crm__*'], ['cr'])).toMatchObject([{ state: 'warning' }])
})

test('the default workspace has all tools, and an installation without others has no finding', () => {
  expect(found(['http_request'], [], firstWorkspaceId)).toEqual([])
})

test('the tools that need no grant are those that say so', async () => {
  const toolbox = await openToolbox({
    settings: openSettings({ environment: { SERVICE_FS_ROOT: '/', SERVICE_CODE_EXEC: '1' }, stored: new Map() }),
    log: pino({ level: 'silent' }),
    clock: systemClock,
    resolve: createResolver(),
  })
  onTestFinished(() => toolbox.close())
  const names = toolbox.all().filter(({ needsGrant }) => !needsGrant)
  expect(names.map(({ name }) => name).toSorted()).toEqual(grantlessTools)
})

test('long lists are cut', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({ id: newWorkspaceId(), name: `w${at}`, tools: [] }))
  const listings = many.flatMap(({ id }) =>
    Array.from({ length: 25 }, (_, at) => ({ workspaceId: id, name: `a${at}`, tools: ['http_request'] })),
  )
  const findings = checkToolGrants(settings, { listings, grants: many })
  expect(findings).toHaveLength(21)
  expect(findings[0]?.found).toContain('a19 lists http_request; and so do 5 more agents, which')
  expect(findings[20]?.found).toBe('10 more workspaces have agents with tools that are not granted')
})

test('the command reads agents and grants of the database, and what it prints ends the finding', async () => {
  const { service, database } = await operator()
  const actor = { workspaceId: sales, name: 'test', ip: '', requestId: '' }
  const db = openDatabase(database)
  try {
    await service('settings', 'list') // migrates
    await ensureWorkspace(db, sales, 'Sales')
    await setToolGrants(db, { workspace: sales, tools: ['web_fetch'] }, actor)
    await createAgent(db, actor, { name: 'support', definition: { tools: ['http_request', 'web_fetch'] } })
    await createAgent(db, actor, { name: 'all', definition: {} })
  } finally {
    await db.close()
  }
  const before = await service('doctor')
  expect(before.text).toContain(`in Sales (${sales}) support lists http_request, which the workspace is not granted`)
  const words = /tools grant (ws_.*)$/m.exec(before.text)?.[1]?.split(' ') ?? []
  expect((await service('tools', 'grant', ...words)).text).toBe(`${sales} may use web_fetch, http_request`)
  expect((await service('doctor')).text).toContain('tools of agents: what they list is granted to their workspaces')
})
