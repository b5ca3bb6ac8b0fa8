/** `npm run docs:scale`: writes the kinds of change notices into docs/scale.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { changeKinds } from '../store/change-kinds.ts'
import { tableOf, withTable } from './table-in-page.ts'

export const scalePageFile = fileURLToPath(new URL('../docs/scale.md', import.meta.url))

export function scalePage(page: string): string {
  const rows = Object.entries(changeKinds).map(([kind, work]) => [`\`${kind}\``, work])
  return withTable(page, tableOf(['kind', 'at a notice'], rows))
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(scalePageFile, scalePage(readFileSync(scalePageFile, 'utf8')))
