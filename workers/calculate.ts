/**
 * Works out expressions with mathjs, which itself runs in QuickJS: in Node, `1:1e9` ends not the thread but the process,
 * because one array grows past the heap at once. There it meets the end of a memory of its own.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import { freshRuntime } from './quickjs.ts'

interface Task {
  expression: string
  charactersMax: number
  timeoutMs: number
}

type Outcome =
  | { end: 'done'; text: string; isCut: boolean }
  | { end: 'refused'; text: string }
  | { end: 'too_long' | 'too_large' }

interface Node {
  readonly type: string
  readonly name?: string
  readonly value?: unknown
  readonly fn?: Node
  readonly dimensions?: readonly Node[]
  traverse(visit: (node: Node) => void): void
  compile(): { evaluate(scope: object): unknown }
}

/** What we use of mathjs. */
interface MathLibrary {
  parse(expression: string): Node
  format(value: unknown, options: { precision: number }): string
}

const bounds = { memoryBytes: 64 * 1_024 * 1_024, stackBytes: 512 * 1_024 }
const libraryFile = createRequire(import.meta.url).resolve('mathjs/lib/browser/math.js')
const library = readFileSync(libraryFile, 'utf8')

/**
 * Becomes text and runs inside: it may use nothing from around it. Lets arithmetic through, and no name that reaches the
 * parser itself or changes the library for the next expression; names are the only way to them.
 */
function calculatorIn(math: MathLibrary): (expression: string, charactersMax: number) => string {
  const refused = new Set([
    ...['import', 'config', 'createUnit', 'evaluate', 'parse', 'compile', 'parser', 'chain', 'typed', 'reviver'],
    ...['simplify', 'simplifyCore', 'simplifyConstant', 'derivative', 'rationalize', 'resolve', 'symbolicEqual'],
    ...['replacer', 'leafCount', 'help', 'print', 'create', 'factory', 'expression', 'docs', 'Unit'],
  ])
  const kinds = new Set([
    ...['ConstantNode', 'SymbolNode', 'OperatorNode', 'ParenthesisNode', 'FunctionNode', 'ArrayNode', 'RangeNode'],
    ...['ConditionalNode', 'RelationalNode', 'BlockNode', 'AssignmentNode', 'FunctionAssignmentNode'],
    ...['AccessorNode', 'IndexNode'],
  ])
  const check = (node: Node): void => {
    if (!kinds.has(node.type)) throw new Error(`${node.type.replace('Node', '')} is not arithmetic`)
    if (node.type === 'SymbolNode' && refused.has(node.name ?? '')) throw new Error(`${node.name} is not allowed`)
    if (node.type === 'FunctionNode' && node.fn?.type !== 'SymbolNode')
      throw new Error('only named functions are called')
    const isProperty = node.type === 'IndexNode' && node.dimensions?.some(({ value }) => typeof value === 'string')
    if (isProperty) throw new Error('there are no properties here')
  }
  const shown = (result: unknown): string => {
    if (typeof result === 'function') return 'a function was defined'
    // A block of several lines: what each came to.
    const { entries } = (result ?? {}) as { entries?: unknown }
    if (Array.isArray(entries)) return entries.map((entry) => shown(entry)).join('\n')
    return typeof result === 'string' ? result : math.format(result, { precision: 14 })
  }
  return (expression, charactersMax) => {
    const tree = math.parse(expression)
    tree.traverse(check)
    return shown(tree.compile().evaluate(new Map())).slice(0, charactersMax + 1)
  }
}

type World = (task: Task) => Outcome

/** The library makes its operators, and what ranges need, when they are first used: half a second that is nobody's expression. */
const warming = '1:3\n1 + 1'

/** Loading the library is dear, so a world is kept; one in which something went out of bounds is thrown away. */
let kept: World | undefined

export default async function calculate(task: Task): Promise<Outcome> {
  const world = kept ?? (await makeWorld())
  kept = undefined
  const outcome = world(task)
  if (outcome.end === 'done' || outcome.end === 'refused') kept = world
  return outcome
}

async function makeWorld(): Promise<World> {
  let deadlineMs = Number.POSITIVE_INFINITY
  let isOver = false
  const runtime = await freshRuntime(bounds, () => {
    isOver ||= performance.now() > deadlineMs
    return isOver
  })
  const context = runtime.newContext()
  context.unwrapResult(context.evalCode(library, 'math.js', { type: 'global' })).dispose()
  const made = `(${String(calculatorIn)})(globalThis.math)`
  const work = context.unwrapResult(context.evalCode(made, 'calculator.js', { type: 'global' }))
  const world: World = ({ expression, charactersMax, timeoutMs }) => {
    isOver = false
    deadlineMs = performance.now() + timeoutMs
    try {
      const given = context.newString(expression)
      const most = context.newNumber(charactersMax)
      const result = context.callFunction(work, context.undefined, given, most)
      given.dispose()
      most.dispose()
      if (isOver) return { end: 'too_long' }
      if (result.error) return result.error.consume((error) => refusal(context, error))
      const text = result.value.consume((value) => context.getString(value))
      return { end: 'done', text: text.slice(0, charactersMax), isCut: text.length > charactersMax }
    } catch (error) {
      // The stack of the interpreter itself is used up; its world is thrown away.
      if (error instanceof RangeError) return { end: 'too_large' }
      throw error
    }
  }
  // Bounded by the pool's own time, as loading is.
  world({ expression: warming, charactersMax: 0, timeoutMs: Number.POSITIVE_INFINITY })
  return world
}

/** What the library says of an expression is for whoever wrote it. */
function refusal(context: QuickJSContext, error: QuickJSHandle): Outcome {
  const message = context.getProp(error, 'message').consume((text) => context.dump(text) as unknown)
  const text = typeof message === 'string' ? message : 'out of memory'
  return /out of memory|stack overflow|too long/.test(text)
    ? { end: 'too_large' }
    : { end: 'refused', text: text.slice(0, 500) }
}
