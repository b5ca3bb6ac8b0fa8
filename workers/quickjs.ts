/** Runs untrusted JavaScript in QuickJS, compiled to WebAssembly: limited memory, separate from ours, and no way out but text. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import packaged from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import type { QuickjsOutput, QuickjsResult, QuickjsTask } from './quickjs.task.ts'

/** The part that we use; Node has it, its types do not. */
interface WebAssemblyParts {
  Module: new (bytes: Uint8Array) => object
  Memory: new (pages: { initial: number; maximum: number }) => object
}

const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyParts }
/** The package's types describe its other form, in which this is one level down. */
const variant = packaged as unknown as QuickJSSyncVariant

const pageBytes = 65_536
/** For the interpreter itself and the gaps between its blocks, beside the program's memory. */
const memorySurplusBytes = 32 * 1_024 * 1_024
const wasmFile = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
const compiled = new WebAssembly.Module(readFileSync(wasmFile))

/**
 * Runs first, in the program's context, and takes the built-ins that it needs: a program that changes `JSON` changes only
 * its own. Returns a function that shows any value as text.
 */
const prelude = `(write, stdin, charactersMax) => {
  const { stringify } = JSON, { toString } = Object.prototype, { call } = Function.prototype
  const text = String, isArray = Array.isArray, ErrorClass = Error, MapClass = Map, SetClass = Set, from = Array.from
  const slice = call.bind(text.prototype.slice), describe = call.bind(toString)
  const plain = (key, value) => {
    if (typeof value === 'bigint') return text(value) + 'n'
    if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return show(value)
    if (value instanceof ErrorClass) return show(value)
    if (value instanceof MapClass || value instanceof SetClass) return from(value)
    return value
  }
  const show = (value) => {
    if (typeof value === 'string') return slice(value, 0, charactersMax)
    if (typeof value === 'bigint') return slice(text(value), 0, charactersMax) + 'n'
    if (typeof value === 'function') return '[function ' + slice(text(value.name), 0, 100) + ']'
    if (value === null || typeof value !== 'object') return text(value)
    try {
      if (value instanceof ErrorClass) return slice(text(value) + (value.stack ? '\\n' + text(value.stack) : ''), 0, 4000)
      return slice(text(stringify(value, plain, isArray(value) ? 0 : 2)), 0, charactersMax)
    } catch {
      return describe(value)
    }
  }
  const writer = (stream) => (...values) => {
    let line = ''
    for (let at = 0; at < values.length && line.length < charactersMax; at++) line += (at ? ' ' : '') + show(values[at])
    write(stream, line + '\\n')
  }
  const out = writer(0), err = writer(1)
  globalThis.console = { log: out, info: out, debug: out, error: err, warn: err }
  globalThis.stdin = stdin
  return show
}`

export default async function run(task: QuickjsTask): Promise<QuickjsResult> {
  const stdout = cappedText(task.outputBytes)
  const stderr = cappedText(task.outputBytes)
  const deadlineMs = performance.now() + task.timeoutMs
  let isOver = false
  const hasEnded = () => {
    isOver ||= performance.now() > deadlineMs
    return isOver
  }
  const finish = (end: QuickjsResult['end'], hasFailed: boolean, value?: string): QuickjsResult => ({
    end: isOver ? 'timed_out' : end,
    hasFailed: hasFailed || isOver,
    stdout: stdout.read(),
    stderr: stderr.read(),
    ...(value !== undefined && { value }),
  })
  try {
    const runtime = await freshRuntime(task, hasEnded)
    const context = runtime.newContext()
    const show = prepare(context, task, (stream, text) => (stream === 0 ? stdout : stderr).add(text))
    const { isError, handle } = evaluate(context, runtime, task.code, hasEnded)
    if (isOver) return finish('timed_out', true)
    if (!isError && context.typeof(handle) === 'undefined') return finish('exited', false)
    const text = show(handle)
    if (!isError) return finish('exited', false, text)
    stderr.add(`${text}\n`)
    return finish(text.includes('out of memory') ? 'memory_limit' : 'exited', true)
  } catch (error) {
    // The interpreter itself gave up: its own stack, or memory that it could not get. It is discarded as a whole.
    const isStack = error instanceof RangeError
    stderr.add(isStack ? 'the program used up the stack\n' : `the interpreter gave up: ${String(error)}\n`)
    return finish('exited', true)
  }
}

/** New for each run, and garbage as a whole afterwards: nothing of one program is there for the next. */
export async function freshRuntime(
  task: { memoryBytes: number; stackBytes: number },
  hasEnded: () => boolean,
): Promise<QuickJSRuntime> {
  // This is the limit that holds: the interpreter's own count leaves out what small blocks take (387 MiB where 64 were allowed).
  const maximum = Math.ceil((task.memoryBytes + memorySurplusBytes) / pageBytes)
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum })
  const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: compiled, wasmMemory }))
  const runtime = module.newRuntime()
  runtime.setMemoryLimit(task.memoryBytes)
  runtime.setMaxStackSize(task.stackBytes)
  runtime.setInterruptHandler(hasEnded)
  runtime.setModuleLoader((name) => ({ error: new Error(`there are no modules here, so ${name} cannot be imported`) }))
  return runtime
}

/** @returns shows a value of the program as text */
function prepare(context: QuickJSContext, task: QuickjsTask, write: (stream: number, text: string) => void) {
  const preludeFunction = context.unwrapResult(context.evalCode(prelude, 'prelude.js', { type: 'global' }))
  const writer = context.newFunction('write', (stream, text) => {
    write(context.getNumber(stream), context.getString(text))
  })
  const preludeArguments = [writer, context.newString(task.stdin), context.newNumber(task.outputBytes)]
  const show = context.unwrapResult(context.callFunction(preludeFunction, context.undefined, ...preludeArguments))
  return (value: QuickJSHandle): string => {
    const text = context.callFunction(show, context.undefined, value)
    // It fails where too little memory is left.
    return text.error ? 'out of memory' : context.getString(text.value)
  }
}

function evaluate(context: QuickJSContext, runtime: QuickJSRuntime, code: string, hasEnded: () => boolean) {
  let result = context.evalCode(code, 'program.js', { type: 'global' })
  // Only a module may await outside a function, and only a module may import, which is refused with a reason.
  let isModule = false
  if (result.error && /\b(await|import|export)\b/.test(code) && nameOf(context, result.error) === 'SyntaxError') {
    const asModule = context.evalCode(code, 'program.js', { type: 'module' })
    isModule = !asModule.error || nameOf(context, asModule.error) !== 'SyntaxError'
    if (isModule) result = asModule
  }
  while (!hasEnded() && runtime.hasPendingJob()) {
    const jobs = runtime.executePendingJobs(1_000)
    if (jobs.error) break
  }
  if (result.error) return { isError: true, handle: result.error }
  const end = settled(context, result.value)
  return isModule && !end.isError ? { isError: false, handle: context.undefined } : end
}

/** The result of a promise; any other value is its own. */
function settled(context: QuickJSContext, handle: QuickJSHandle): { isError: boolean; handle: QuickJSHandle } {
  const state = context.getPromiseState(handle)
  switch (state.type) {
    case 'fulfilled':
      return { isError: false, handle: state.value }
    case 'rejected':
      return { isError: true, handle: state.error }
    case 'pending':
      return { isError: true, handle: context.newString('the program waits for something that never comes') }
    default:
      return state satisfies never
  }
}

function nameOf(context: QuickJSContext, error: QuickJSHandle): string {
  const name = context.getProp(error, 'name')
  return context.typeof(name) === 'string' ? context.getString(name) : ''
}

function cappedText(bytesMax: number) {
  let text = ''
  let bytes = 0
  let droppedBytes = 0
  return {
    add(piece: string) {
      const size = Buffer.byteLength(piece)
      const room = bytesMax - bytes
      if (size <= room) {
        text += piece
        bytes += size
        return
      }
      // Once cut, all that follows is dropped: the text is the beginning, without holes.
      const head = new TextDecoder().decode(Buffer.from(piece).subarray(0, Math.max(0, room)), { stream: true })
      text += head
      bytes = bytesMax
      droppedBytes += size - Buffer.byteLength(head)
    },
    read: (): QuickjsOutput => ({ text, droppedBytes }),
  }
}
