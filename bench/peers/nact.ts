/** The actor library nact, as much of it as is measured. Loaded from the benchmark's own folder, so nothing of ours depends on it. */
import { createRequire } from 'node:module'

export interface Context {
  sender: unknown
}

export interface Nact {
  start(): unknown
  spawn<State, Message>(
    parent: unknown,
    handle: (state: State, message: Message, context: Context) => State | Promise<State>,
    name: string,
    properties?: { initialState?: State; shutdownAfter?: number },
  ): unknown
  dispatch(actor: unknown, message: unknown): void
  query<Answer>(actor: unknown, message: (sender: unknown) => object, timeoutMs: number): Promise<Answer>
}

export function loadNact(): Nact {
  return createRequire(import.meta.url)('nact') as Nact
}
