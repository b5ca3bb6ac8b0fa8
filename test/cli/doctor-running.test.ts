import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkRunning } from '../../cli/doctor/running.ts'

const instance = { pid: 71, startedAt: new Date(0) }
const own = { SERVICE_LLM_MODEL: 'own', SERVICE_DATA_DIR: '/srv/x' }

/** A folder of processes, as Linux has one. */
function processes(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'processes-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, '71'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, '71', name), text)
  return root
}

test.each([
  ['under its parent', ['/usr/bin/node', '/opt/x/dist/gateway/main.js']],
  ['alone', ['node', '/opt/x/node_modules/.bin/agent-platform', 'start', '--no-supervise']],
  ['in a checkout', ['node', '/home/ada/x/bin/service.js', 'start']],
])('the environment of a service that runs %s is read', (_how, words) => {
  const at = processes({ cmdline: words.join('\0'), environ: 'SERVICE_LLM_MODEL=a=b\0PATH=/bin\0' })
  const { finding, environment } = checkRunning(instance, own, at)
  expect(environment).toEqual({ SERVICE_LLM_MODEL: 'a=b', PATH: '/bin' })
  expect(finding).toMatchObject({ check: 'service', state: 'ok' })
  expect(finding.found).toContain('process 71: its settings are judged')
})

test.runIf(process.platform === 'linux')('a start that died, or whose number another program has now, is none', () => {
  const other = processes({ cmdline: 'nginx\0start\0', environ: 'A=b' })
  for (const given of [instance, { ...instance, pid: 72 }]) {
    const { finding, environment, isFound } = checkRunning(given, own, other)
    expect([finding.found, environment, isFound]).toEqual([
      `none runs on this machine (the last start, process ${given.pid}, did not stop as it should) with the built-in database in /srv/x: the environment of this command is judged`,
      own,
      false,
    ])
  }
})

test('where none runs, the database that was asked is named, without its password', () => {
  expect(checkRunning(null, own).finding.found).toBe(
    'none runs with the built-in database in /srv/x: the environment of this command is judged',
  )
  const external = { ...own, SERVICE_DATABASE_URL: 'postgres://ada:secret@db.example.com/service' }
  expect(checkRunning(null, external).finding.found).toContain('none runs with the database of SERVICE_DATABASE_URL')
})

test('a service whose environment may not be read is said, with what to do', () => {
  const at = processes({ cmdline: 'node\0/opt/x/dist/gateway/main.js\0' })
  mkdirSync(join(at, '71', 'environ'))
  const { finding, environment } = checkRunning(instance, own, at)
  expect([finding.state, environment]).toEqual(['warning', own])
  expect(finding.advice).toContain('Run this as the user of the service')
})
