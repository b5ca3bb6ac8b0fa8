/**
 * One service for each data folder. The lock is a file that names its holder. PostgreSQL has its own lock behind it, so
 * what matters most here is to name the holder, and never to take a living one for dead.
 */
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { systemClock } from '../../runtime/time/clock.ts'
import { every } from '../../runtime/time/every.ts'
import { isAlive, startTimeOf } from './process-facts.ts'
import { DataFolderInUse } from './refused.ts'

const Holder = z.object({
  pid: z.number(),
  began: z.string().optional(),
  host: z.string(),
  /** A command locks the folder for a moment only, so a gateway waits for it. */
  purpose: z.enum(['gateway', 'command']),
  /** Distinguishes two locks of one process. */
  nonce: z.string(),
})
export type Holder = z.infer<typeof Holder>

export interface FolderLock {
  /** Whether the lock file is still ours. */
  isOwn(): Promise<boolean>
  release(): Promise<void>
}

/** The process of a holder on another host (a container that shares the folder) cannot be checked, so it touches the file. */
const heartbeatMs = 5_000
const heartbeatAgeMsMax = 15_000
const commandMs = 15_000
const remoteMs = heartbeatAgeMsMax + 2_000
const pollMs = 100

/** @throws DataFolderInUse */
export async function lockFolder(path: string, folder: string, purpose: Holder['purpose']): Promise<FolderLock> {
  const began = await startTimeOf(process.pid)
  const mine: Holder = { pid: process.pid, host: hostname(), purpose, nonce: randomUUID(), ...(began && { began }) }
  const draft = `${path}.${mine.nonce}`
  await writeFile(draft, JSON.stringify(mine), { mode: 0o600 })
  try {
    await acquire(path, draft, folder)
  } finally {
    await rm(draft, { force: true })
  }
  const heartbeat = every(heartbeatMs, () => utimes(path, new Date(), new Date()), {
    clock: systemClock,
    onError() {
      // Three in a row must fail before others take the holder for dead.
    },
  })
  const isHeld = async () => (await readHolder(path))?.nonce === mine.nonce
  return {
    isOwn: isHeld,
    async release() {
      await heartbeat.stop()
      if (await isHeld()) await rm(path, { force: true })
    },
  }
}

async function acquire(path: string, draft: string, folder: string): Promise<void> {
  const startedMs = performance.now()
  for (;;) {
    // Linking is atomic and replaces nothing.
    const isLocked = await link(draft, path).then(
      () => false,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return true
        throw error
      },
    )
    if (!isLocked) return
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const holder = parse(text)
    if (holder && (await isHolderAlive(holder, path))) {
      const isLocal = holder.host === hostname()
      const waitMs = isLocal ? (holder.purpose === 'command' ? commandMs : 0) : remoteMs
      if (performance.now() - startedMs >= waitMs)
        throw new DataFolderInUse(folder, holder.pid, isLocal ? undefined : holder.host)
      await wait(pollMs)
      continue
    }
    await removeStale(path, text)
  }
}

/** Removes a dead holder's lock. One that another process has acquired meanwhile is put back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const moved = `${path}.${randomUUID()}`
  try {
    await rename(path, moved)
  } catch {
    return // another process was faster
  }
  if ((await readFile(moved, 'utf8')) !== stale) await link(moved, path).catch(() => undefined)
  await rm(moved, { force: true })
}

function parse(text: string): Holder | undefined {
  try {
    return Holder.safeParse(JSON.parse(text)).data
  } catch {
    return undefined // not a lock of ours: it counts as stale
  }
}

export async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parse(text)
}

/** Whether the process that wrote the lock still runs. */
export async function isHolderAlive(holder: Holder, path: string): Promise<boolean> {
  if (holder.host !== hostname()) {
    const heartbeatAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0
    return Date.now() - heartbeatAt < heartbeatAgeMsMax
  }
  if (!(await isAlive(holder.pid))) return false
  const began = await startTimeOf(holder.pid)
  return began === undefined || holder.began === undefined || began === holder.began
}
