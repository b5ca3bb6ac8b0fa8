/** Code in pieces of one colour each, made beside the page: some code keeps a grammar busy for seconds. */
import { textWork, useTextWork } from './beside-the-page.ts'
import type { CodePiece } from './code-colours.ts'

const colouring = textWork<readonly CodePiece[]>(
  () => new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' }),
)

/** Longer code stays in one colour. */
const colouredCharsMax = 20_000

/** Undefined: in one colour. The pieces may be of the code as it was before. */
export function useCodeColours(code: string, language: string): readonly CodePiece[] | undefined {
  const isColoured = language !== '' && code.length <= colouredCharsMax
  return useTextWork(colouring, isColoured ? `${language}\n${code}` : '')
}
