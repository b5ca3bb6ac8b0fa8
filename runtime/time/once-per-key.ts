/** Callers that ask for the same thing at the same time share one run of the work. */

export interface OncePerKey<Key, Result> {
  /** The run of this key that is under way, or a new one. */
  run(key: Key, work: () => Promise<Result>): Promise<Result>
  /** What is under way is shared no more: whoever comes now starts a new run. */
  forget(): void
  /** Keys whose run is under way. */
  readonly size: number
}

export function oncePerKey<Key, Result>(): OncePerKey<Key, Result> {
  const running = new Map<Key, Promise<Result>>()
  return {
    run(key, work) {
      const shared = running.get(key)
      if (shared) return shared
      const run = work().finally(() => {
        if (running.get(key) === run) running.delete(key)
      })
      running.set(key, run)
      return run
    },
    forget: () => running.clear(),
    get size() {
      return running.size
    },
  }
}
