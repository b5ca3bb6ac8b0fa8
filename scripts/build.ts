/** Makes `dist/`: JavaScript from the sources, beside it whatever else lies in them (SQL), and the admin UI. */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileTo } from './compile.ts'

const dist = fileURLToPath(new URL('../dist', import.meta.url))

rmSync(dist, { recursive: true, force: true })
compileTo(dist, { isChecked: true })
await import('./build-ui.ts')
