/** Parts of a file, as RFC 9110, 14 has them: one range; several are answered with the whole. */

export interface Range {
  /** The first byte. */
  from: number
  /** The byte behind the last. */
  until: number
}

/** undefined: the whole file. unsatisfiable: no byte of it is meant. */
export function rangeOf(header: string, bytes: number): Range | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/.exec(header) ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'unsatisfiable' : { from: bytes - length, until: bytes }
  }
  const from = Number(first)
  if (last !== '' && Number(last) < from) return undefined
  if (from >= bytes) return 'unsatisfiable'
  return { from, until: last === '' ? bytes : Math.min(Number(last) + 1, bytes) }
}
