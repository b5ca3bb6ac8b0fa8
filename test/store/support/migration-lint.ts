/** What a migration must say of itself, and what it may do at that: problems as sentences. */
import type { Migration } from '../../../store/migration-files.ts'

/** Landed before files said anything of themselves. */
const lastWithoutHead = 13

export function problemsOf(migration: Migration): string[] {
  const { number, name, phase, safeFor, text } = migration
  if (number <= lastWithoutHead) return []
  const statements = plain(text)
  const problems = [
    ...(phase === null ? ['begins without "-- phase: expand" or "-- phase: contract"'] : []),
    ...(/^\d+\.\d+\.\d+$/.test(safeFor ?? '')
      ? []
      : ['begins without "-- safe-for: 1.2.3", the oldest version beside it']),
    ...(phase === 'expand' ? statements.flatMap((statement) => takenAway(statement, statements)) : []),
    ...(migration.isTransactional
      ? []
      : statements.flatMap((statement, at) => unrepeatable(statement, statements[at - 1]))),
  ]
  return problems.map((problem) => `${name} ${problem}`)
}

/** Lower case, without comments, texts and bodies of functions. */
const plain = (text: string): string[] =>
  text
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/--.*$/gm, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

/** What a version that runs beside an expand migration would miss, or wait for. */
function takenAway(statement: string, all: string[]): string[] {
  const table = /^alter table (?:if exists )?(?:only )?([\w."]+)/.exec(statement)?.[1]
  const indexed = /^create (?:unique )?index (?!concurrently)(?:if not exists )?.*? on (?:only )?([\w."]+)/.exec(
    statement,
  )?.[1]
  const isNew = (name: string): boolean =>
    all.some((each) => new RegExp(`^create table (?:if not exists )?${name}\\b`).test(each))
  if (indexed !== undefined && !isNew(indexed)) return [`indexes ${indexed} without concurrently`]
  if (/^(drop (?!index concurrently)|truncate )/.test(statement)) return [`drops: ${statement}`]
  if (table === undefined || isNew(table)) return []
  const actions = statement.split(/,(?![^(]*\))/)
  return [
    ...(/\brename\b/.test(statement) ? [`renames: ${statement}`] : []),
    ...(/\b(?:alter (?:column )?\w+ (?:set data )?type)\b/.test(statement) ? [`changes a type: ${statement}`] : []),
    ...(/\bset not null\b/.test(statement) ? [`sets not null: ${statement}`] : []),
    ...actions.filter((action) => isDrop(action, all)).map((action) => `drops: ${action.trim()}`),
    ...actions
      .filter(
        (action) => /\badd (?!constraint)/.test(action) && /\bnot null\b/.test(action) && !/\bdefault\b/.test(action),
      )
      .map((action) => `adds not null without a default: ${action.trim()}`),
    ...actions
      .filter(
        (action) => /\badd (?:constraint \w+ )?(?:check|foreign key)\b/.test(action) && !/\bnot valid\b/.test(action),
      )
      .map((action) => `adds a constraint that is not "not valid": ${action.trim()}`),
    ...actions
      .filter((action) => /\badd (?:constraint \w+ )?(?:unique|primary key|exclude)\b(?! using index)/.test(action))
      .map((action) => `builds an index under a lock: ${action.trim()}`),
  ]
}

/** A constraint that the file adds again, wider, is not taken away; nor are defaults and "not null". */
function isDrop(action: string, all: string[]): boolean {
  const constraint = /\bdrop constraint (?:if exists )?(\w+)/.exec(action)?.[1]
  if (constraint !== undefined) return !all.some((each) => each.includes(`add constraint ${constraint} `))
  return /\bdrop (?!default\b|not null\b|expression\b|identity\b)/.test(action)
}

/** A file without a transaction may have been applied in part, so each index is dropped right before it is made. */
function unrepeatable(statement: string, before = ''): string[] {
  if (/^drop index concurrently if exists \w+$/.test(statement)) return []
  const index = /^create (?:unique )?index concurrently (\w+) on /.exec(statement)?.[1]
  if (index !== undefined && before === `drop index concurrently if exists ${index}`) return []
  return [`cannot be started again after it failed: ${statement}`]
}
