import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSettings } from '../../../config/settings.ts'
import { describeSandboxes } from '../../../tools/code/describe.ts'
import { type Engine, standInEngine } from '../../runtime/process/support/engine.ts'

let engine: Engine

beforeAll(async () => {
  engine = await standInEngine('podman')
})

afterAll(() => engine.remove())

const described = (environment: Record<string, string>, path: string) =>
  describeSandboxes(openSettings({ environment: { SERVICE_CODE_EXEC: '1', ...environment }, stored: new Map() }), path)

const image = { SERVICE_CODE_EXEC_SANDBOX_IMAGE: 'example.com/python:3' }
const host = { SERVICE_CODE_EXEC_ALLOW_HOST: '1' }

test('nothing is described where the tool is off', async () => {
  const settings = openSettings({ environment: {}, stored: new Map() })
  expect(await describeSandboxes(settings, '')).toEqual({ isEnabled: false, sandboxes: [], problems: [] })
})

test('with nothing allowed there is javascript alone', async () => {
  const { sandboxes, problems } = await described({}, engine.path)
  expect(sandboxes).toMatchObject([{ name: 'quickjs', languages: ['javascript'], strength: 'strong' }])
  expect(problems).toEqual([])
})

describe('with an image', () => {
  test('docker or podman runs everything, also where the host would be allowed', async () => {
    const { sandboxes } = await described({ ...image, ...host }, engine.path)
    expect(sandboxes).toMatchObject([{ name: 'container', languages: ['python', 'javascript', 'bash', 'sh'] }])
  })

  test('and no engine, the host is no way out', async () => {
    const { sandboxes, problems } = await described({ ...image, ...host }, '/nowhere')
    expect(sandboxes.map(({ name }) => name)).toEqual(['quickjs'])
    expect(problems).toEqual([expect.stringContaining('neither docker nor podman')])
  })

  test('and interpreters, these are what the image has', async () => {
    const { sandboxes } = await described({ ...image, SERVICE_CODE_EXEC_INTERPRETERS: '{"py":"/opt/py"}' }, engine.path)
    expect(sandboxes.map(({ name, languages }) => [name, languages])).toEqual([
      ['container', ['python']],
      ['quickjs', ['javascript']],
    ])
  })
})

test('on a host without bubblewrap code is a plain child, and it is said what that does not contain', async () => {
  const { sandboxes, problems } = await described(host, engine.path)
  expect(sandboxes[0]).toMatchObject({ name: 'plain', strength: 'weak' })
  expect(sandboxes[0]?.notContained.join()).toContain('network of the host')
  expect(problems).toEqual([expect.stringContaining('bwrap')])
})

test('where nothing may go out to the internet, no code runs as a plain child, which has the network of the host', async () => {
  const { sandboxes, problems } = await described({ ...host, SERVICE_AIRGAPPED: '1' }, engine.path)
  expect(sandboxes.map(({ name }) => name)).toEqual(['quickjs'])
  expect(problems).toEqual([expect.stringContaining('SERVICE_AIRGAPPED')])
})

test('an interpreter that is not there is a problem and no language', async () => {
  const interpreters = JSON.stringify({ sh: '/bin/sh', ruby: '/nowhere/ruby', python: 'python3' })
  const { sandboxes, problems } = await described({ ...host, SERVICE_CODE_EXEC_INTERPRETERS: interpreters }, '/nowhere')
  expect(sandboxes[0]?.languages).toEqual(['sh'])
  expect(problems.filter((problem) => problem.includes('INTERPRETERS')).length).toBe(2)
})
