/** `npm run build:ui`, also after `npm ci`: builds the admin UI into `dist/ui`, where the tools for it are installed. */
import { copyFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function hasTools(): boolean {
  try {
    createRequire(import.meta.url).resolve('vite')
    return true
  } catch {
    return false // an installation without development tools: its package brings dist/ui
  }
}

if (hasTools()) {
  const { build } = await import('vite')
  await build({ configFile: `${root}web/vite.config.ts`, logLevel: 'warn' })
  copyFileSync(`${root}web/app/fonts/OFL.txt`, `${root}dist/ui/assets/OFL.txt`) // wherever the fonts go
} else {
  console.log('the tools that build the admin UI are not installed; dist/ui is left as it is')
}

// What npm prints behind this is a count of packages: the next step is said here.
if (process.env['npm_lifecycle_event'] === 'prepare' && ['ci', 'install'].includes(process.env['npm_command'] ?? ''))
  console.log('\nEverything is built. Start the service with: npm start\n')
