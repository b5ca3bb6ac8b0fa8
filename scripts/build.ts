/** Makes `dist/`: JavaScript from the sources, beside it whatever else lies in them (SQL), and the admin UI. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

rmSync(at('dist'), { recursive: true, force: true })
const compiled = spawnSync(at('node_modules/.bin/tsc'), ['-p', at('tsconfig.build.json')], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
if (compiled.status !== 0) process.exit(compiled.status ?? 1)

for (const room of JSON.parse(readFileSync(at('tsconfig.build.json'), 'utf8')).include as string[]) {
  cpSync(at(room), at(`dist/${room}`), { recursive: true, filter: (path) => extname(path) !== '.ts' })
}
await import('./build-ui.ts')
