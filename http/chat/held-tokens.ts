/** Holds the tokens that a call is sure to use, on the limits of its key: its text, and the most that it lets the model answer. */
import type { PostedTurn } from '../../actors/turn/posted-turn.ts'
import type { Principal } from '../access.ts'
import type { App } from '../app.ts'
import { chatError } from './errors.ts'

/** Counting takes longer than it is worth before the model counts itself. */
const bytesPerToken = 4

/** Of the answer, as each API names it. */
const answerBounds = ['max_completion_tokens', 'max_tokens', 'max_output_tokens']

/** @returns the post with what it holds. @throws ApiError 429 */
export async function withHeldTokens(app: App, principal: Principal, post: PostedTurn): Promise<PostedTurn> {
  const { tokenRates = [] } = principal
  if (tokenRates.length === 0) return post
  try {
    return { ...post, tokenHold: await app.services.tokenRates.hold(tokenRates, surelyUsed(post)) }
  } catch (error) {
    throw chatError(error)
  }
}

function surelyUsed({ messages, parameters, agent }: PostedTurn): number {
  const text = messages.reduce((bytes, { content }) => bytes + textBytes(content), 0)
  const bound = answerBounds.map((name) => parameters[name]).find((value) => Number.isSafeInteger(value))
  // An agent answers once, whatever was asked for.
  const answers = !agent && Number.isSafeInteger(parameters['n']) ? (parameters['n'] as number) : 1
  return Math.ceil(text / bytesPerToken) + answers * Math.max(0, (bound as number | undefined) ?? 0)
}

/** Pictures and other files are settled with what the model counts. */
function textBytes(content: unknown): number {
  if (typeof content === 'string') return Buffer.byteLength(content)
  if (!Array.isArray(content)) return 0
  return content.reduce(
    (bytes: number, part: { text?: unknown }) =>
      bytes + (typeof part?.text === 'string' ? Buffer.byteLength(part.text) : 0),
    0,
  )
}
