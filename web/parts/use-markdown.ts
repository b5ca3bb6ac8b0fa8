/** The tokens of a Markdown text, parsed beside the page and within a bound of time; the last ones stay while newer are made. */
import type { Token } from 'marked'
import { useEffect, useState } from 'react'

/** A text that takes longer is shown as it is. */
const parseMsMax = 1_000
const rememberedMax = 300

interface Job {
  text: string
  done(tokens: Token[] | undefined): void
}

let worker: Worker | undefined
let current: { job: Job; timer: ReturnType<typeof setTimeout> } | undefined
/** Each text on the page has at most one. */
const waiting: Job[] = []
const remembered = new Map<string, Token[] | undefined>()

function startWorker(): Worker {
  const started = new Worker(new URL('./markdown-worker.ts', import.meta.url), { type: 'module' })
  started.onmessage = ({ data }: MessageEvent<Token[] | undefined>) => finish(data)
  started.onerror = () => giveUp()
  return started
}

function next(): void {
  const job = current ? undefined : waiting.shift()
  if (!job) return
  worker ??= startWorker()
  current = { job, timer: setTimeout(giveUp, parseMsMax) }
  worker.postMessage(job.text)
}

function finish(tokens: Token[] | undefined): void {
  if (!current) return
  const { job, timer } = current
  clearTimeout(timer)
  current = undefined
  remember(job.text, tokens)
  job.done(tokens)
  next()
}

function giveUp(): void {
  worker?.terminate()
  worker = undefined
  finish(undefined)
}

function remember(text: string, tokens: Token[] | undefined): void {
  remembered.set(text, tokens)
  const oldest = remembered.keys().next().value
  if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest)
}

/** Undefined: not parsed yet, or not to be parsed. */
export function useMarkdown(text: string): Token[] | undefined {
  const [latest, setLatest] = useState<Token[] | undefined>(() => remembered.get(text))
  useEffect(() => {
    if (remembered.has(text)) return setLatest(remembered.get(text))
    const job: Job = { text, done: setLatest }
    waiting.push(job)
    next()
    return () => {
      job.done = () => undefined
      const at = waiting.indexOf(job)
      if (at >= 0) waiting.splice(at, 1)
    }
  }, [text])
  return latest
}
