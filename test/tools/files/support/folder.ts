/** A folder for the file tools with a secret beside it, and every kind of file in it that must not be opened. */
import { spawnSync } from 'node:child_process'
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesystemList } from '../../../../tools/filesystem-list.ts'
import { filesystemRead } from '../../../../tools/filesystem-read.ts'
import { filesystemWrite } from '../../../../tools/filesystem-write.ts'
import type { Tool } from '../../../../tools/tool.ts'
import { call, toolContext, toolDependencies } from './call.ts'

export const leak = 'LEAKED-FROM-OUTSIDE'

export interface Folder {
  root: string
  outside: string
  read(given: object): Promise<string>
  list(given: object): Promise<string>
  write(given: object): Promise<string>
  tools: Tool[]
  remove(): Promise<void>
}

export async function openFolder(): Promise<Folder> {
  const top = await mkdtemp(join(tmpdir(), 'file-tools-'))
  const root = join(top, 'root')
  const outside = join(top, 'outside')
  await mkdir(join(root, 'notes/deep'), { recursive: true })
  await mkdir(outside)
  await mkdir(join(top, 'root-beside'))
  for (const place of ['outside/secret.txt', 'root-beside/secret.txt']) await writeFile(join(top, place), leak)
  await writeFile(join(root, 'hello.txt'), 'hello\n')
  await writeFile(join(root, 'notes/deep/plan.md'), 'a plan')
  const { dependencies } = toolDependencies({ SERVICE_FS_ROOT: root })
  const tools = [filesystemRead(dependencies), filesystemList(dependencies), filesystemWrite(dependencies)]
  const through = (at: number) => (given: object) => {
    const tool = tools[at]
    if (!tool) throw new Error('the tool is off')
    return call(tool, toolContext(dependencies), given)
  }
  return {
    root,
    outside,
    read: through(0),
    list: through(1),
    write: through(2),
    tools: tools.filter((tool) => tool !== undefined),
    remove: () => rm(top, { recursive: true, force: true }),
  }
}

/** Links of every kind that lead outside, a FIFO, a socket and, where the tests run as root, a device. */
export async function plantTraps({ root, outside }: Folder): Promise<{ close(): void }> {
  await symlink(join(outside, 'secret.txt'), join(root, 'link-to-file'))
  await symlink('../outside/secret.txt', join(root, 'link-relative'))
  await symlink(outside, join(root, 'link-to-folder'))
  await symlink('/', join(root, 'link-to-everything'))
  await symlink('/proc/self/root', join(root, 'link-through-proc'))
  await symlink('hello.txt', join(root, 'link-inside'))
  await symlink('link-to-folder', join(root, 'link-to-link'))
  await symlink('link-loop', join(root, 'link-loop'))
  await symlink(join(outside, 'made-by-tool'), join(root, 'link-to-nothing'))
  await symlink(outside, join(root, 'notes/link-deep'))
  await link(join(root, 'hello.txt'), join(root, 'second-name'))
  spawnSync('mkfifo', [join(root, 'fifo')])
  if (process.getuid?.() === 0) spawnSync('mknod', [join(root, 'device'), 'c', '1', '5'])
  const server = createServer().listen(join(root, 'socket'))
  await new Promise((ready) => server.once('listening', ready))
  return { close: () => server.close() }
}
