/**
 * Evaluates expressions with mathjs, which itself runs in QuickJS: in Node, `1:1e9` ends not the thread but the process,
 * because one array outgrows the heap at once. In QuickJS it only reaches the limit of the interpreter's memory.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import type { CalculateResult, CalculateTask } from './calculate.task.ts'
import { freshRuntime } from './quickjs.ts'

interface Node {
  readonly type: string
  readonly name?: string
  readonly value?: unknown
  readonly fn?: Node
  readonly dimensions?: readonly Node[]
  traverse(visit: (node: Node) => void): void
  compile(): { evaluate(scope: object): unknown }
}

/** The part of mathjs that we use. */
interface MathLibrary {
  parse(expression: string): Node
  format(value: unknown, options: { precision: number }): string
}

const limits = { memoryBytes: 64 * 1_024 * 1_024, stackBytes: 512 * 1_024 }
const libraryFile = createRequire(import.meta.url).resolve('mathjs/lib/browser/math.js')
const library = readFileSync(libraryFile, 'utf8')

/**
 * Becomes text and runs inside QuickJS: it must not use anything from this file. It allows arithmetic, and no name that
 * reaches the parser itself or changes the library for the next expression; names are the only way to them.
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
  const format = (result: unknown): string => {
    if (typeof result === 'function') return 'a function was defined'
    // A block of several lines: the result of each.
    const { entries } = (result ?? {}) as { entries?: unknown }
    if (Array.isArray(entries)) return entries.map((entry) => format(entry)).join('\n')
    return typeof result === 'string' ? result : math.format(result, { precision: 14 })
  }
  return (expression, charactersMax) => {
    const tree = math.parse(expression)
    tree.traverse(check)
    return format(tree.compile().evaluate(new Map())).slice(0, charactersMax + 1)
  }
}

type Calculator = (task: CalculateTask) => CalculateResult

/** The library creates its operators, and what ranges need, at their first use: half a second that no caller's expression should pay. */
const warmUpExpression = '1:3\n1 + 1'

/** Loading the library is slow, so a calculator is reused; after one that reached a limit a new one is made. */
let idleCalculator: Calculator | undefined

export default async function calculate(task: CalculateTask): Promise<CalculateResult> {
  const calculator = idleCalculator ?? (await loadCalculator())
  idleCalculator = undefined
  const result = calculator(task)
  if (result.end === 'done' || result.end === 'refused') idleCalculator = calculator
  return result
}

async function loadCalculator(): Promise<Calculator> {
  let deadlineMs = Number.POSITIVE_INFINITY
  let isOver = false
  const runtime = await freshRuntime(limits, () => {
    isOver ||= performance.now() > deadlineMs
    return isOver
  })
  const context = runtime.newContext()
  context.unwrapResult(context.evalCode(library, 'math.js', { type: 'global' })).dispose()
  const source = `(${String(calculatorIn)})(globalThis.math)`
  const evaluate = context.unwrapResult(context.evalCode(source, 'calculator.js', { type: 'global' }))
  const calculator: Calculator = ({ expression, charactersMax, timeoutMs }) => {
    isOver = false
    deadlineMs = performance.now() + timeoutMs
    try {
      const text = context.newString(expression)
      const lengthMax = context.newNumber(charactersMax)
      const result = context.callFunction(evaluate, context.undefined, text, lengthMax)
      text.dispose()
      lengthMax.dispose()
      if (isOver) return { end: 'too_long' }
      if (result.error) return result.error.consume((error) => refusal(context, error))
      const formatted = result.value.consume((value) => context.getString(value))
      return { end: 'done', text: formatted.slice(0, charactersMax), isCut: formatted.length > charactersMax }
    } catch (error) {
      // The stack of the interpreter itself is used up; this calculator is not used again.
      if (error instanceof RangeError) return { end: 'too_large' }
      throw error
    }
  }
  // Limited by the pool's own time, as loading is.
  calculator({ expression: warmUpExpression, charactersMax: 0, timeoutMs: Number.POSITIVE_INFINITY })
  return calculator
}

/** The library's own words about an expression are for whoever wrote it. */
function refusal(context: QuickJSContext, error: QuickJSHandle): CalculateResult {
  const message = context.getProp(error, 'message').consume((text) => context.dump(text) as unknown)
  const text = typeof message === 'string' ? message : 'out of memory'
  return /out of memory|stack overflow|too long/.test(text)
    ? { end: 'too_large' }
    : { end: 'refused', text: text.slice(0, 500) }
}
