/** The built files of the admin UI, read once: each with content type, ETag, and the compressed forms of the build. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { packageFolder } from '../../runtime/package.ts'

export type Encoding = 'br' | 'gzip' | 'identity'

export interface UiFile {
  contentType: string
  etag: string
  bodies: Partial<Record<Encoding, Uint8Array>> & { identity: Uint8Array }
}

export interface UiFiles {
  /** The page, with placeholders for the values of each answer. Undefined: the UI was not built. */
  page: string | undefined
  /** By path, such as `/assets/main-1a2b.js`. */
  files: ReadonlyMap<string, UiFile>
}

/** The output folder of the build. */
export const uiFolder = join(packageFolder, 'dist', 'ui')

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
}

const packed: Readonly<Record<string, Encoding>> = { '.br': 'br', '.gz': 'gzip' }

export function readUiFiles(folder: string): UiFiles {
  const files = new Map<string, UiFile>()
  let page: string | undefined
  for (const name of namesIn(folder)) {
    const encoding = packed[extname(name)]
    if (encoding !== undefined) continue
    const body = readFileSync(join(folder, name))
    const path = `/${name.split(sep).join('/')}`
    if (path === '/index.html') {
      page = body.toString('utf8')
      continue
    }
    files.set(path, {
      contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      bodies: { identity: body, ...packedForms(join(folder, name)) },
    })
  }
  return { page, files }
}

function packedForms(path: string): Partial<Record<Encoding, Uint8Array>> {
  const forms: Partial<Record<Encoding, Uint8Array>> = {}
  for (const [extension, encoding] of Object.entries(packed)) {
    try {
      forms[encoding] = readFileSync(`${path}${extension}`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return forms
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
