/** Size limits: of what a browser loads before the overview shows, and of each page on top of that. */
import { readdirSync, readFileSync } from 'node:fs'
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

/** What every page needs, with the font that is preloaded. */
const firstLoadBytesMax = 180_000
/** What a page needs on top, chunks that it shares with others included. */
const pageBytesMax = 60_000

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

/** The fonts that the page asks for before any style says so. */
const preloaded = [
  ...readFileSync(join(uiFolder, 'index.html'), 'utf8').matchAll(/rel="preload" href="\/([^"]+)"/g),
].map(([, file = '']) => file)
const rawBytes = (file: string): number => readFileSync(join(uiFolder, file)).length

describe('what is loaded', () => {
  it(`before any page shows is at most ${firstLoadBytesMax / 1_000} kB, packed, with its font`, () => {
    const font = preloaded.reduce((sum, file) => sum + rawBytes(file), 0)
    const bytes = total(first) + font
    const overview = total(filesOf('pages/overview/page.tsx', new Set(first))) + font
    console.log(
      `first load: ${(bytes / 1_000).toFixed(1)} kB gzip, with the overview ${(overview / 1_000).toFixed(1)} kB`,
    )
    expect(preloaded).toHaveLength(1)
    expect(bytes).toBeLessThanOrEqual(firstLoadBytesMax)
  })

  it.each(pages)(`for %s is at most ${pageBytesMax / 1_000} kB more, packed`, (name) => {
    const loaded = [...filesOf(name)].filter((file) => !first.has(file))
    console.log(`${name}: ${(total(loaded) / 1_000).toFixed(1)} kB gzip`)
    expect(total(loaded)).toBeLessThanOrEqual(pageBytesMax)
  })

  it('has the licence of its fonts beside them', () => {
    const files = readdirSync(join(uiFolder, 'assets'))
    expect(files.some((file) => file.endsWith('.woff2'))).toBe(true)
    expect(readFileSync(join(uiFolder, 'assets', 'OFL.txt'), 'utf8')).toContain('SIL OPEN FONT LICENSE')
  })

  it('has nothing in the page itself that runs, and the marks that the service fills in', () => {
    const page = readFileSync(join(uiFolder, 'index.html'), 'utf8')
    expect(page).toContain('__CSP_NONCE__')
    expect(page).toContain('__API_BASE__')
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
    expect(page).not.toMatch(/\son[a-z]+=/)
  })
})
