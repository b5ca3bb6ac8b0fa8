/** What the scripted endpoint is to do, said in the model's name: the one field that every gateway passes on. */

export type Script =
  | { kind: 'whole' }
  /** Chunks as fast as the reader takes them. */
  | { kind: 'burst'; chunks: number }
  /** One chunk every `intervalMs`, each with the time it was sent. */
  | { kind: 'paced'; chunks: number; intervalMs: number }
  /** Answers with this status. */
  | { kind: 'refuse'; status: number }
  /** Closes the connection after so many chunks. */
  | { kind: 'cut'; chunks: number }
  /** Asks for a tool so many times, then answers. */
  | { kind: 'tools'; steps: number }
  /** Never says a word. */
  | { kind: 'hang' }

export function modelName(script: Script): string {
  switch (script.kind) {
    case 'whole':
      return 'whole'
    case 'burst':
      return `burst-${script.chunks}`
    case 'paced':
      return `paced-${script.chunks}-${script.intervalMs}`
    case 'refuse':
      return `refuse-${script.status}`
    case 'cut':
      return `cut-${script.chunks}`
    case 'tools':
      return `tools-${script.steps}`
    case 'hang':
      return 'hang'
  }
}

/** @throws RangeError for a name that no script has */
export function parseModelName(name: string): Script {
  const [kind, first, second] = name.split('-')
  const numbers = [Number(first), Number(second)]
  const [amount = 0, intervalMs = 0] = numbers
  switch (kind) {
    case 'whole':
    case 'hang':
      return { kind }
    case 'tools':
      return { kind, steps: amount }
    case 'burst':
    case 'cut':
      return { kind, chunks: amount }
    case 'paced':
      return { kind, chunks: amount, intervalMs }
    case 'refuse':
      return { kind, status: amount }
    default:
      throw new RangeError(`no script is called ${name}`)
  }
}
