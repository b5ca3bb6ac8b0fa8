/** Work on texts of others in a worker, one after the other and within a bound of time: texts exist that keep a parser busy for seconds. */
import { useEffect, useState } from 'react'

/** A text that takes longer has no result. */
const workMsMax = 1_000
const rememberedMax = 300

interface Job<Result> {
  text: string
  done(result: Result | undefined): void
}

export interface TextWork<Result> {
  /** Of texts that were worked on; undefined stands for no result. */
  readonly remembered: ReadonlyMap<string, Result | undefined>
  /** @returns takes it back */
  ask(text: string, done: Job<Result>['done']): () => void
}

/** @param startWorker a text in, its result out */
export function textWork<Result>(startWorker: () => Worker): TextWork<Result> {
  let worker: Worker | undefined
  let current: { job: Job<Result>; timer: ReturnType<typeof setTimeout> } | undefined
  /** Each text on the page has at most one. */
  const waiting: Job<Result>[] = []
  const remembered = new Map<string, Result | undefined>()

  function started(): Worker {
    const made = startWorker()
    made.onmessage = ({ data }: MessageEvent<Result | undefined>) => finish(data)
    made.onerror = () => giveUp()
    return made
  }

  function next(): void {
    const job = current ? undefined : waiting.shift()
    if (!job) return
    worker ??= started()
    current = { job, timer: setTimeout(giveUp, workMsMax) }
    worker.postMessage(job.text)
  }

  function finish(result: Result | undefined): void {
    if (!current) return
    const { job, timer } = current
    clearTimeout(timer)
    current = undefined
    remember(job.text, result)
    job.done(result)
    next()
  }

  function giveUp(): void {
    worker?.terminate()
    worker = undefined
    finish(undefined)
  }

  function remember(text: string, result: Result | undefined): void {
    remembered.set(text, result)
    const oldest = remembered.keys().next().value
    if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest)
  }

  return {
    remembered,
    ask(text, done) {
      const job = { text, done }
      waiting.push(job)
      next()
      return () => {
        job.done = () => undefined
        const at = waiting.indexOf(job)
        if (at >= 0) waiting.splice(at, 1)
      }
    },
  }
}

/** The result for a text, and the last one while a newer one is made. Undefined: there is none, or the text is blank. */
export function useTextWork<Result>(work: TextWork<Result>, text: string): Result | undefined {
  const [latest, setLatest] = useState(() => work.remembered.get(text))
  useEffect(() => {
    if (text === '' || work.remembered.has(text)) return setLatest(work.remembered.get(text))
    return work.ask(text, setLatest)
  }, [work, text])
  return latest
}
