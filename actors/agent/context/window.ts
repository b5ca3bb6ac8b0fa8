/**
 * What of a conversation a model is told: as much as fits, the newest first. What belongs together stays together, what
 * the turn answers is always told, and what alone is too large is cut in its middle.
 */
import type { ChatMessage } from '../../../models/transport.ts'
import { cutMessage, cutToTokens } from './cut-message.ts'
import { groupMessages, type MessageGroup, newestUserMessages, orphansBefore } from './groups.ts'
import type { MessageTokens } from './message-tokens.ts'
import { summaryNote } from './summary-note.ts'

/** Of the beginning of the answer, which endpoints count to the prompt. */
const answerTokens = 3

/** Of the limit, for the conversation: instructions longer than the rest do not silence those who speak. */
const roomShareMin = 0.25

/** Of the room, for the summary; and what the note around it takes. */
const summaryShareMax = 0.5
const noteTokens = 60

/** Groups that are counted at once, newest first: of what is too old anyway nothing is counted. */
const countedGroups = 64

export interface WindowInput {
  /** The conversation without system prompt, oldest first, what the turn answers included. */
  messages: readonly ChatMessage[]
  /** Of what stood before these messages; null: nothing did. */
  summary: string | null
  /** What the system prompt and the tools take of the limit. */
  systemTokens: number
  limitTokens: number
  tokens: MessageTokens
}

export interface Window {
  /** What the model is told, the note with the summary first. */
  messages: ChatMessage[]
  /** What it is not told, oldest first. */
  dropped: ChatMessage[]
  /** Messages whose middle is left out. */
  cut: number
  /** Of `messages`; never less than the tokenizer's count, and more where nothing had to be counted. */
  tokens: number
  /** True: what has to be told is larger than the window, and no text is left to cut. */
  isOver: boolean
}

export async function fitToWindow(input: WindowInput): Promise<Window> {
  const { tokens } = input
  const messages = input.messages.slice(orphansBefore(input.messages))
  const orphans = input.messages.slice(0, input.messages.length - messages.length)
  const room = roomFor(input)
  const plain = input.summary === null ? [] : [summaryNote(input.summary)]
  const most = [...plain, ...messages].reduce((total, message) => total + tokens.upperBound(message), 0)
  if (most <= room) {
    return { messages: [...plain, ...messages], dropped: orphans, cut: 0, tokens: most, isOver: false }
  }
  const noteMax = Math.floor(room * summaryShareMax) - noteTokens
  const note = input.summary === null ? [] : [summaryNote(await cutToTokens(input.summary, noteMax, tokens))]
  const taken = sum(await tokens.count(note))
  const told = await newest(messages, room - taken, tokens, note.length > 0)
  return {
    ...told,
    messages: [...note, ...told.messages],
    dropped: [...orphans, ...told.dropped],
    tokens: told.tokens + taken,
  }
}

/** Tokens for the conversation itself, its summary included. */
export function roomFor({ systemTokens, limitTokens }: Pick<WindowInput, 'systemTokens' | 'limitTokens'>): number {
  return Math.max(limitTokens - systemTokens - answerTokens, Math.ceil(limitTokens * roomShareMin))
}

async function newest(
  messages: readonly ChatMessage[],
  room: number,
  tokens: MessageTokens,
  isSummarised: boolean,
): Promise<Window> {
  const groups = groupMessages(messages)
  const run = newestUserMessages(messages)
  const isSpared = (group: MessageGroup) =>
    group === groups.at(-1) ||
    (run !== null && group.from >= run.from && group.to <= run.to) ||
    isInstruction(messages[group.from])
  const within = (chosen: readonly MessageGroup[]) => chosen.flatMap(({ from, to }) => messages.slice(from, to))

  const spared = groups.filter(isSpared)
  const sparedTokens = sum(await tokens.count(within(spared)))
  const others = groups.filter((group) => !isSpared(group))
  if (sparedTokens > room) return { ...(await squeezed(within(spared), room, tokens)), dropped: within(others) }

  const fitting = await newestThatFit(messages, others, room - sparedTokens, tokens)
  const isWhole = fitting.length === others.length
  const loose = isSummarised || isWhole ? 0 : withoutQuestion(messages, fitting, run)
  const kept = new Set([...spared, ...fitting.slice(loose)])
  const told = within(groups.filter((group) => kept.has(group)))
  return {
    messages: told,
    dropped: within(groups.filter((group) => !kept.has(group))),
    cut: 0,
    tokens: sum(await tokens.count(told)),
    isOver: false,
  }
}

/** @returns oldest first */
async function newestThatFit(
  messages: readonly ChatMessage[],
  groups: readonly MessageGroup[],
  room: number,
  tokens: MessageTokens,
): Promise<MessageGroup[]> {
  const kept: MessageGroup[] = []
  let used = 0
  for (let to = groups.length; to > 0; to -= countedGroups) {
    const slice = groups.slice(Math.max(0, to - countedGroups), to)
    await tokens.count(slice.flatMap((group) => messages.slice(group.from, group.to)))
    for (const group of slice.reverse()) {
      used += sum(await tokens.count(messages.slice(group.from, group.to)))
      if (used > room) return kept.reverse()
      kept.push(group)
    }
  }
  return kept.reverse()
}

/** Answers at the beginning whose question is not told: some models refuse a conversation that begins with one. @returns how many */
function withoutQuestion(
  messages: readonly ChatMessage[],
  groups: readonly MessageGroup[],
  run: MessageGroup | null,
): number {
  const first = groups.findIndex(({ from }) => messages[from]?.role === 'user' || from >= (run?.from ?? 0))
  return first === -1 ? groups.length : first
}

/** Only what has to be told, the largest of it cut until all has room. */
async function squeezed(
  spared: readonly ChatMessage[],
  room: number,
  tokens: MessageTokens,
): Promise<Omit<Window, 'dropped'>> {
  const tokensMax = fairShare(await tokens.count(spared), room)
  const told = await Promise.all(spared.map((message) => cutMessage(message, tokensMax, tokens)))
  const used = sum(await tokens.count(told))
  return {
    messages: told,
    cut: told.filter((message, at) => message !== spared[at]).length,
    tokens: used,
    isOver: used > room,
  }
}

/** The size to which all that is larger is cut, so that the sum has room: small ones stay as they are. */
export function fairShare(counts: readonly number[], room: number): number {
  let left = room
  const ascending = [...counts].sort((a, b) => a - b)
  for (const [at, count] of ascending.entries()) {
    const share = left / (ascending.length - at)
    if (count > share) return Math.max(0, Math.floor(share))
    left -= count
  }
  return Number.POSITIVE_INFINITY
}

function isInstruction(message: ChatMessage | undefined): boolean {
  return message?.role === 'system' || message?.role === 'developer'
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
