import { expect, test } from 'vitest'
import { firstWorkspaceId } from '../../store/id.ts'
import { operator } from './support/command.ts'

test('tools are granted to a workspace, listed, and taken away', async () => {
  const { service } = await operator()
  expect(await service('tools', 'grant', firstWorkspaceId, 'http_request', 'crm__*')).toMatchObject({
    code: 0,
    text: `${firstWorkspaceId} may use http_request, crm__*`,
  })
  expect((await service('tools', 'grants')).text).toContain('http_request, crm__*')
  expect((await service('tools', 'grant', firstWorkspaceId)).code).toBe(0)
  expect(JSON.parse((await service('tools', 'grants', '--json')).text)).toMatchObject([
    { id: firstWorkspaceId, tools: [] },
  ])
})

test('a name that no tool has, and a workspace that is not there, are refused', async () => {
  const { service } = await operator()
  const [name, workspace] = await Promise.all([
    service('tools', 'grant', firstWorkspaceId, 'no tool'),
    service('tools', 'grant', `ws_${'0'.repeat(31)}9`, 'http_request'),
  ])
  expect(name).toMatchObject({ code: 1, text: expect.stringContaining('no tool is not the name of a tool') })
  expect(workspace).toMatchObject({ code: 1, text: expect.stringContaining('there is no workspace') })
})
