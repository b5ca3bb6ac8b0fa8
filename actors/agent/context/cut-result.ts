/** A tool result that is too long for a model: its head and its tail, and how to read what is between. */
import { cutMiddle } from './cut-text.ts'

/** Most results begin with what matters; errors and totals stand at the end. */
const headShare = 0.7

/** @param callId what `read_result` is to be called with */
export function cutResult(text: string, charactersMax: number, callId: string): string {
  return cutMiddle(
    text,
    charactersMax,
    headShare,
    ({ from, to, length }) =>
      `\n[${to - from} of ${length} characters are left out here. ` +
      `The tool read_result with call_id ${JSON.stringify(callId)} and offset ${from} reads them.]\n`,
  )
}
