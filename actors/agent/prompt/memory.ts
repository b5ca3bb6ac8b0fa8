/** What is remembered of the user, marked as what it is: notes that were taken from conversations. */
import { section } from './section.ts'

export function memory(notes: string): string | null {
  const block = section('memory', notes)
  return (
    block &&
    `What is remembered from earlier conversations. It may be out of date, and the user's word today counts more.\n${block}`
  )
}
