/**
 * Which SQL of a model may be sent to a database: one SELECT that names only harmless things. PostgreSQL's own parser reads
 * it, so that comments, quotes and escaped identifiers mean the same as on the server, and every node of the result is
 * checked, at any depth.
 */
import { z } from 'zod'
import { ToolFailed } from '../tool.ts'
import { harmlessCatalogs, harmlessFunctions, harmlessInformation, harmlessNodes } from './harmless.ts'

export const queryCharactersMax = 10_000

/** Words, brackets and operators. Each may nest, and the parser's stack ends at about twice this depth. */
const piecesMax = 1_000

export interface CheckedQuery {
  /** The statement as written, without its semicolon. */
  text: string
  /**
   * Names behind a dot. `x.f` is a call of f(x) to PostgreSQL where x has no column f, and the text does not tell
   * which: the catalogue of the database has to be asked.
   */
  dotted: readonly string[]
  /** Functions that are called without a schema: the operator may have some of the same name. */
  called: readonly string[]
}

const Parsed = z.object({
  stmts: z
    .array(
      z.object({
        stmt: z.record(z.string(), z.unknown()),
        stmt_location: z.int().default(0),
        stmt_len: z.int().default(0),
      }),
    )
    .default([]),
})

/** @throws ToolFailed refused_query */
export async function checkQuery(text: string): Promise<CheckedQuery> {
  if (text.length > queryCharactersMax) throw refused(`it is longer than ${queryCharactersMax} characters`)
  if (text.includes('\0') || !text.isWellFormed()) throw refused('it holds characters that PostgreSQL does not take')
  if ((text.match(/[\p{L}_][\p{L}\p{N}_$]*|[^\s\p{L}\p{N}_$,.'"]/gu) ?? []).length > piecesMax) {
    throw refused(`it has more than ${piecesMax} words and operators`)
  }
  const { stmts } = await parsed(text)
  const [first] = stmts
  if (!first || stmts.length > 1) throw refused('it has to be exactly one statement')
  if (!('SelectStmt' in first.stmt)) throw refused('only SELECT is allowed')
  const { dotted, called } = lookThrough(first.stmt)
  const bytes = Buffer.from(text).subarray(first.stmt_location)
  const statement = first.stmt_len === 0 ? bytes : bytes.subarray(0, first.stmt_len)
  return { text: statement.toString(), dotted: [...dotted], called: [...called] }
}

async function parsed(text: string): Promise<z.infer<typeof Parsed>> {
  // Takes some 20 MB, so it is loaded only when needed.
  const { hasSqlDetails, parse } = await import('libpg-query')
  try {
    return Parsed.parse(await parse(text))
  } catch (error) {
    if (hasSqlDetails(error)) {
      const at = (error.sqlDetails?.cursorPosition ?? 0) + 1
      throw new ToolFailed('query_failed', `${error.message}, at character ${at}.`)
    }
    if (error instanceof RangeError) throw refused('it is nested too deeply')
    if (text.trim() === '') throw refused('it is empty')
    throw error
  }
}

interface Found {
  dotted: Set<string>
  called: Set<string>
}

/** Every node, without recursion: untrusted input may be nested to any depth. */
function lookThrough(statement: object): Found {
  const found: Found = { dotted: new Set(), called: new Set() }
  const waiting: object[] = [statement]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const [key, value] of Object.entries(node)) {
      if (/^[A-Z]/.test(key) && !harmlessNodes.has(key)) throw refused(`it holds what is not allowed (${key})`)
      if (typeof value !== 'object' || value === null) continue
      check(key, value, found)
      waiting.push(value)
    }
  }
  return found
}

function check(key: string, value: object, { dotted, called }: Found): void {
  const node = value as Readonly<Record<string, unknown>>
  switch (key) {
    case 'intoClause':
      throw refused('SELECT INTO makes a table')
    case 'lockingClause':
      throw refused('FOR UPDATE and FOR SHARE lock rows')
    case 'FuncCall':
      checkFunction(namesOf(node['funcname']), called)
      return
    case 'A_Expr':
      checkOperator(namesOf(node['name']))
      return
    case 'operName':
    case 'useOp':
      checkOperator(namesOf(value))
      return
    case 'RangeVar':
      checkRelation(Relation.parse(value))
      return
    case 'ColumnRef':
      for (const name of namesOf(node['fields']).slice(1)) dotted.add(name)
      return
    case 'A_Indirection':
      for (const name of namesOf(node['indirection'])) dotted.add(name)
      return
  }
}

const Name = z.object({ String: z.object({ sval: z.string().default('') }) })

function namesOf(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((item: unknown) => Name.safeParse(item).data?.String.sval ?? [])
}

function checkFunction(names: readonly string[], called: Set<string>): void {
  const [schema, name] = names.length === 1 ? ['pg_catalog', names[0]] : names
  if (names.length <= 2 && schema === 'pg_catalog' && name !== undefined && harmlessFunctions.has(name)) {
    if (names.length === 1) called.add(name)
    return
  }
  throw refused(`the function ${names.join('.')} is not on the list of those that may be called`)
}

function checkOperator(names: readonly string[]): void {
  if (names.length < 2 || (names.length === 2 && names[0] === 'pg_catalog')) return
  throw refused(`the operator ${names.join('.')} is not of pg_catalog`)
}

const Relation = z.object({
  catalogname: z.string().optional(),
  schemaname: z.string().optional(),
  relname: z.string(),
})

function checkRelation({ catalogname, schemaname, relname }: z.infer<typeof Relation>): void {
  const shown = [catalogname, schemaname, relname].filter((name) => name !== undefined).join('.')
  const isSystem = schemaname?.startsWith('pg_') || relname.startsWith('pg_')
  const isAllowed =
    schemaname === 'information_schema'
      ? harmlessInformation.has(relname)
      : !isSystem || ((schemaname ?? 'pg_catalog') === 'pg_catalog' && harmlessCatalogs.has(relname))
  if (!isAllowed) throw refused(`${shown} is not one of the system tables that may be read`)
}

function refused(why: string): ToolFailed {
  return new ToolFailed('refused_query', `This query is refused: ${why}.`)
}
