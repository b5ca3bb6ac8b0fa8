/**
 * The rolling summary: when a conversation outgrows its window, its oldest part becomes a few sentences. So much of it at
 * once that the next summary is many turns away: it costs a model call, and a new beginning costs the prompt's cache.
 */
import type { ChatMessage } from '../../../models/transport.ts'
import type { Log } from '../../../runtime/log/log.ts'
import type { StoredSummary } from '../../../store/conversations/summaries.ts'
import { cutToTokens } from './cut-message.ts'
import { cutMiddle } from './cut-text.ts'
import { groupMessages, newestUserMessages } from './groups.ts'
import type { MessageTokens } from './message-tokens.ts'
import { type PastMessage, unsummarisedMax } from './past.ts'
import { summaryNote } from './summary-note.ts'
import { summaryMaterial, summaryPrompt, summaryPromptTokens } from './summary-prompt.ts'
import { roomFor } from './window.ts'

/** Of the room that the past has, what it takes after a roll. */
const targetShare = 0.6

/** Counted at once; what is too old to stay anyway is not counted. */
const countedMessages = 64

/** Whatever a model writes; less where the window is small. */
const summaryCharactersMax = 8_000

export type Summary = StoredSummary

export interface RollInput {
  /** The messages since the summary, in the order of turns. */
  past: readonly PastMessage[]
  summary: Summary | null
  /** What the turn answers. */
  newMessages: readonly ChatMessage[]
  systemTokens: number
  limitTokens: number
  tokens: MessageTokens
  /** One model call, bounded in time by the caller. @returns the text of the model */
  ask(messages: ChatMessage[]): Promise<string>
  log: Log
}

export interface RolledPast {
  past: readonly PastMessage[]
  summary: Summary | null
  /** True: the summary is a new one and has to be stored. */
  isNew: boolean
}

/** Never rejects for what the model does: without a new summary the turn goes on, and the window leaves out what is too old. */
export async function rollSummary(input: RollInput): Promise<RolledPast> {
  const { past, summary, limitTokens, tokens, log } = input
  const unchanged = { past, summary, isNew: false }
  const at = await placeToCut(input)
  const seq = past[at - 1]?.turnSeq
  if (seq === undefined) return unchanged
  const messages = past.slice(0, at).map(({ message }) => message)
  const charactersMax = Math.min(summaryCharactersMax, limitTokens)
  try {
    const whole = summaryMaterial(summary?.text ?? null, messages)
    const material = await cutToTokens(whole, Math.max(limitTokens - summaryPromptTokens, summaryPromptTokens), tokens)
    const reply = (await input.ask(summaryPrompt(material, charactersMax))).trim()
    if (reply === '') throw new Error('the model gave an empty summary')
    const text = cutMiddle(reply, charactersMax, 0.5, () => '\n[…]\n')
    log.debug(
      { messages: messages.length, characters: text.length },
      'the oldest part of a conversation was summarised',
    )
    return { past: past.slice(at), summary: { text, seq }, isNew: true }
  } catch (error) {
    log.warn({ err: error, messages: messages.length }, 'a conversation outgrew its window and could not be summarised')
    return unchanged
  }
}

/** @returns how many messages of the past are to be summarised; 0: it has room, or nothing of it may go */
async function placeToCut({ past, summary, newMessages, tokens, ...limits }: RollInput): Promise<number> {
  const messages = past.map(({ message }) => message)
  const always = [...(summary ? [summaryNote(summary.text)] : []), ...newMessages]
  const room = roomFor(limits)
  const most = [...messages, ...always].reduce((total, message) => total + tokens.upperBound(message), 0)
  const isLong = past.length > unsummarisedMax
  if (most <= room && !isLong) return 0
  const fixed = (await tokens.count(always)).reduce((total, count) => total + count, 0)
  const counts = await countsOfNewest(messages, room - fixed, tokens)
  const isLarge = counts.used + fixed > room
  if (!isLarge && !isLong) return 0

  const allowed = placesBetweenTurns(past, newMessages)
  // Of what the past may take: a long question must not send all of it away.
  const targetTokens = isLarge ? (room - fixed) * targetShare : Number.POSITIVE_INFINITY
  const targetMessages = isLong ? unsummarisedMax * targetShare : Number.POSITIVE_INFINITY
  const fits = (at: number) => past.length - at <= targetMessages && counts.from(at) <= targetTokens
  return allowed.find(fits) ?? allowed.at(-1) ?? 0
}

/** Between two turns, so that the summary's place says exactly what it tells of; what the turn answers stays. */
function placesBetweenTurns(past: readonly PastMessage[], newMessages: readonly ChatMessage[]): number[] {
  const messages = past.map(({ message }) => message)
  const run = newMessages.some(({ role }) => role === 'user') ? null : newestUserMessages(messages)
  const last = run?.from ?? past.length
  const starts = [
    ...groupMessages([...messages, ...newMessages]).map(({ from }) => from),
    past.length + newMessages.length,
  ]
  return starts.filter((at) => at > 0 && at <= last && past[at]?.turnSeq !== past[at - 1]?.turnSeq)
}

/** Counts from the newest back until `enough` is passed. */
async function countsOfNewest(
  messages: readonly ChatMessage[],
  enough: number,
  tokens: MessageTokens,
): Promise<{ used: number; from(at: number): number }> {
  const sums = new Map([[messages.length, 0]])
  let used = 0
  for (let to = messages.length; to > 0 && used <= enough; to -= countedMessages) {
    const counts = await tokens.count(messages.slice(Math.max(0, to - countedMessages), to))
    for (const [back, count] of counts.reverse().entries()) {
      used += count
      sums.set(to - back - 1, used)
    }
  }
  return { used, from: (at) => sums.get(at) ?? Number.POSITIVE_INFINITY }
}
