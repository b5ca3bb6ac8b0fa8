/** The migrations of this version: numbered SQL files, whose first lines say what else may run beside them. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** `expand` only adds, so that versions before it work on; `contract` takes away what they needed. */
export type Phase = 'expand' | 'contract'

export interface Migration {
  number: number
  name: string
  text: string
  checksum: string
  /** Null: of the time before files declared it. */
  phase: Phase | null
  /** The oldest version that works on a database with it; null: none but those that know it. */
  safeFor: string | null
  /** False: its statements run one by one, for `create index concurrently`. */
  isTransactional: boolean
}

const folder = new URL('./migrations/', import.meta.url)

/** The migrations of this version, in order. */
export async function readMigrations(from: URL = folder): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return await Promise.all(names.map(async (name) => migrationOf(name, await readFile(new URL(name, from), 'utf8'))))
}

export function migrationOf(name: string, text: string): Migration {
  const declared = declarations(text)
  const phase = declared.get('phase')
  return {
    number: Number(name.slice(0, 4)),
    name,
    text,
    checksum: createHash('sha256').update(text).digest('hex'),
    phase: phase === 'expand' || phase === 'contract' ? phase : null,
    safeFor: declared.get('safe-for') ?? null,
    isTransactional: declared.get('transaction') !== 'none',
  }
}

/** `-- name: value` lines of the comment at the top. */
function declarations(text: string): Map<string, string> {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const head = lines.slice(0, end === -1 ? lines.length : end)
  const found = head.map((line) => /^-- (phase|safe-for|transaction): (\S+)$/.exec(line))
  return new Map(found.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : [])))
}

/** The statements of a file without a transaction: each ends with a semicolon at the end of a line. */
export const statementsOf = ({ text }: Migration): string[] =>
  text
    .replace(/^--.*$/gm, '')
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
