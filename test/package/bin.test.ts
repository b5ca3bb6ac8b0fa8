import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { endSpawned, type SpawnOptions, spawnNode } from '../support/spawned.ts'

const bin = fileURLToPath(new URL('../../bin/service.js', import.meta.url))
const pinned = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const pinnedFolder = fileURLToPath(new URL(`../../node_modules/${pinned}`, import.meta.url))

/** What stands where the command would: says who it is, and behaves as a service does. */
const command = `
const say = (fields) => console.log(JSON.stringify(fields))
const [what] = process.argv.slice(2)
if (what === 'serve') {
  setInterval(() => {}, 1000)
  process.on('SIGTERM', () => { say({ msg: 'told to stop' }); process.exit(0) })
  process.on('disconnect', () => { say({ msg: 'alone' }); process.exit(0) })
}
// Last: whoever hears it may send a signal at once.
say({ msg: 'here', file: import.meta.filename, node: process.version, execPath: process.execPath, argv: process.argv.slice(2) })
if (what === 'fail') process.exit(9)
`

/** What the bin file loads before it. */
const compileCache = 'export function keepCompiledCode() {}'

const folders: string[] = []
afterEach(async () => {
  await endSpawned()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Layout {
  isInstalled: boolean
  files: ('sources' | 'dist')[]
  hasPinned?: boolean
}

/** The bin file where a package or a checkout would have it, with stand-ins for all that it looks for. */
function laidOut({ isInstalled, files, hasPinned = true }: Layout) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'service-bin-')))
  folders.push(folder)
  const root = isInstalled ? join(folder, 'node_modules', 'the-service') : folder
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put('package.json', '{ "type": "module" }')
  put('bin/service.js', '')
  copyFileSync(bin, join(root, 'bin/service.js'))
  if (files.includes('sources')) {
    put('cli/service.ts', command)
    put('runtime/compile-cache.ts', compileCache)
  }
  if (files.includes('dist')) {
    put('dist/cli/service.js', command)
    put('dist/runtime/compile-cache.js', compileCache)
  }
  if (hasPinned) {
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    symlinkSync(pinnedFolder, join(folder, 'node_modules', pinned))
  }
  const preload = join(folder, 'pretend.cjs')
  writeFileSync(
    preload,
    `const versions = { ...process.versions, node: '20.11.0', modules: '115' }
     Object.defineProperty(process, 'versions', { value: versions })
     Object.defineProperty(process, 'version', { value: 'v20.11.0' })`,
  )
  const run = (args: string[], options: SpawnOptions = {}) => spawnNode(join(root, 'bin/service.js'), args, options)
  /** As an older Node.js would: all that the file asks about is its version. */
  const runOld = (args: string[]) => run(args, { nodeOptions: ['--require', preload] })
  return { root, run, runOld }
}

describe('bin/service.js', () => {
  test('in a checkout it runs the sources, also where a build lies beside them', async () => {
    const { root, run } = laidOut({ isInstalled: false, files: ['sources', 'dist'] })
    const service = run(['list', '--json'])
    expect(await service.end).toBe(0)
    expect(service.lines).toMatchObject([{ file: join(root, 'cli/service.ts'), argv: ['list', '--json'] }])
  })

  test('in an installed package it runs the build', async () => {
    const { root, run } = laidOut({ isInstalled: true, files: ['sources', 'dist'] })
    const service = run([])
    expect(await service.end).toBe(0)
    expect(service.lines).toMatchObject([{ file: join(root, 'dist/cli/service.js') }])
  })

  test('without sources and without a build it says what to do', async () => {
    const { run } = laidOut({ isInstalled: false, files: [] })
    const service = run([])
    expect(await service.end).toBe(78)
    expect(service.lines.map((line) => line.msg)).toEqual([expect.stringContaining('npm run build')])
  })

  test('on an older Node.js without the pinned one it refuses in one line', async () => {
    const { runOld } = laidOut({ isInstalled: true, files: ['dist'], hasPinned: false })
    const service = runOld(['start'])
    expect(await service.end).toBe(78)
    expect(service.lines.map((line) => line.msg)).toEqual([expect.stringMatching(/22\.12.*v20\.11\.0/)])
  })
})

describe.runIf(existsSync(pinnedFolder))('bin/service.js on an older Node.js', () => {
  const installed: Layout = { isInstalled: true, files: ['dist'] }

  test('it hands over to the pinned one, with arguments and exit code', async () => {
    const service = laidOut(installed).runOld(['fail', '--loud'])
    expect(await service.end).toBe(9)
    expect(service.lines).toMatchObject([
      { node: process.version, execPath: expect.stringContaining(pinned), argv: ['fail', '--loud'] },
    ])
  })

  test('a signal passes through, and the end comes back', async () => {
    const service = laidOut(installed).runOld(['serve'])
    await service.said('here')
    service.child.kill('SIGTERM')
    expect(await service.end).toBe(0)
    expect(service.lines.at(-1)?.msg).toBe('told to stop')
  })

  test('killed, it does not leave a service behind that nobody can stop', async () => {
    const service = laidOut(installed).runOld(['serve'])
    await service.said('here')
    service.child.kill('SIGKILL')
    await service.said('alone')
    // It comes when nobody holds the output any more: the service has ended too.
    expect(await service.end).toBe('SIGKILL')
  })
})
