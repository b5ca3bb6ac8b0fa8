/** The npm package `@portkey-ai/gateway` as it starts itself, ending with whoever measures it. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

process.on('disconnect', () => process.exit(0))
const manifest = createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json')
await import(pathToFileURL(join(dirname(manifest), 'build', 'start-server.js')).href)
