/** This package on disk: found by its own name for itself, which is right from the sources and from `dist/` alike. */
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const require = createRequire(import.meta.url)
const manifest = require.resolve('#package.json')

/** The folder of package.json. */
export const packageFolder = dirname(manifest)

export const { version } = require(manifest) as { version: string }
