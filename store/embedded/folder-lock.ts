/**
 * One service on one data folder. The lock is a file that names its holder; PostgreSQL's own lock stands behind it, so
 * this one must above all tell who it is, and never take a living holder for dead.
 */
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { systemClock } from '../../runtime/time/clock.ts'
import { every } from '../../runtime/time/every.ts'
import { beganAt, isAlive } from './process-facts.ts'
import { DataFolderInUse } from './refused.ts'

const Holder = z.object({
  pid: z.number(),
  began: z.string().optional(),
  host: z.string(),
  /** A command holds the folder for a moment, so a gateway waits for it. */
  purpose: z.enum(['gateway', 'command']),
  /** Tells two locks of one process apart. */
  nonce: z.string(),
})
export type Holder = z.infer<typeof Holder>

export interface FolderLock {
  /** Whether the lock is still this one. */
  isHeld(): Promise<boolean>
  release(): Promise<void>
}

/** A holder on another host (a container that shares the folder) cannot be asked, so it shows life by this. */
const beatMs = 5_000
const silentMs = 15_000
const commandMs = 15_000
const pollMs = 100

/** @throws DataFolderInUse */
export async function lockFolder(path: string, folder: string, purpose: Holder['purpose']): Promise<FolderLock> {
  const began = await beganAt(process.pid)
  const mine: Holder = { pid: process.pid, host: hostname(), purpose, nonce: randomUUID(), ...(began && { began }) }
  const draft = `${path}.${mine.nonce}`
  await writeFile(draft, JSON.stringify(mine), { mode: 0o644 })
  try {
    await take(path, draft, folder)
  } finally {
    await rm(draft, { force: true })
  }
  const beat = every(beatMs, () => utimes(path, new Date(), new Date()), {
    clock: systemClock,
    onError() {
      // The next beat may succeed, and three in a row must fail before anybody takes the holder for dead.
    },
  })
  const isHeld = async () => (await readHolder(path))?.nonce === mine.nonce
  return {
    isHeld,
    async release() {
      await beat.stop()
      if (await isHeld()) await rm(path, { force: true })
    },
  }
}

async function take(path: string, draft: string, folder: string): Promise<void> {
  const giveUpAt = performance.now() + commandMs
  for (;;) {
    // Linking is atomic and never replaces what is there.
    const isTaken = await link(draft, path).then(
      () => false,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return true
        throw error
      },
    )
    if (!isTaken) return
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const holder = parse(text)
    if (holder && (await lives(holder, path))) {
      const mayPass = holder.purpose === 'command' || holder.host !== hostname()
      if (!mayPass || performance.now() > giveUpAt + (holder.host === hostname() ? 0 : silentMs - commandMs + 2_000)) {
        throw new DataFolderInUse(folder, holder.pid, holder.host === hostname() ? undefined : holder.host)
      }
      await wait(pollMs)
      continue
    }
    await removeStale(path, text)
  }
}

/** Takes a dead holder's lock away. If somebody took it meanwhile, it is theirs: put back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch {
    return // somebody was faster
  }
  if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
}

function parse(text: string): Holder | undefined {
  try {
    return Holder.safeParse(JSON.parse(text)).data
  } catch {
    return undefined // written by nobody we know: nobody holds it
  }
}

export async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parse(text)
}

/** Whether the one who wrote this still runs. */
export async function lives(holder: Holder, path: string): Promise<boolean> {
  if (holder.host !== hostname()) {
    const touched = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0
    return Date.now() - touched < silentMs
  }
  if (!(await isAlive(holder.pid))) return false
  const began = await beganAt(holder.pid)
  return began === undefined || holder.began === undefined || began === holder.began
}
