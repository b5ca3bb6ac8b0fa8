/** Size limits: of what a browser loads before the overview shows, and of each page on top of that. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { uiFolder } from '../../http/ui/files.ts'

interface Chunk {
  file: string
  src?: string
  isEntry?: boolean
  imports?: string[]
  css?: string[]
}

const firstLoadBytesMax = 180_000
const pageBytesMax = 60_000
/** Including chunks that it shares with other pages and that are loaded once. */
const pageWithSharedBytesMax = 112_000

const manifest = JSON.parse(readFileSync(join(uiFolder, 'manifest.json'), 'utf8')) as Record<string, Chunk>
const gzipBytes = (file: string): number => gzipSync(readFileSync(join(uiFolder, file)), { level: 9 }).length

/** Everything that the browser loads before this chunk runs. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (!chunk || seen.has(chunk.file)) return seen
  for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file)
  for (const other of chunk.imports ?? []) filesOf(other, seen)
  return seen
}

const total = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + gzipBytes(file), 0)

const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry && name.endsWith('.html')) ?? 'index.html'
const first = filesOf(entry)
const pages = Object.keys(manifest).filter((name) => /pages\/[^/]+\/page\.tsx$/.test(name))

describe('what is loaded', () => {
  it(`before the overview shows is at most ${firstLoadBytesMax / 1_000} kB, packed`, () => {
    const files = filesOf('pages/overview/page.tsx', new Set(first))
    const bytes = total(files)
    console.log(`first load: ${(bytes / 1_000).toFixed(1)} kB gzip in ${files.size} files`)
    expect(pages).toContain('pages/overview/page.tsx')
    expect(bytes).toBeLessThanOrEqual(firstLoadBytesMax)
  })

  it.each(pages)(`for %s alone is at most ${pageBytesMax / 1_000} kB, packed`, (name) => {
    const others = new Set(pages.filter((page) => page !== name).flatMap((page) => [...filesOf(page)]))
    const loaded = [...filesOf(name)].filter((file) => !first.has(file))
    const own = total(loaded.filter((file) => !others.has(file)))
    const all = total(loaded)
    console.log(`${name}: ${(own / 1_000).toFixed(1)} kB gzip, ${(all / 1_000).toFixed(1)} kB with what pages share`)
    expect(own).toBeLessThanOrEqual(pageBytesMax)
    expect(all).toBeLessThanOrEqual(pageWithSharedBytesMax)
  })

  it('has nothing in the page itself that runs, and the marks that the service fills in', () => {
    const page = readFileSync(join(uiFolder, 'index.html'), 'utf8')
    expect(page).toContain('__CSP_NONCE__')
    expect(page).toContain('__API_BASE__')
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
    expect(page).not.toMatch(/\son[a-z]+=/)
  })
})
