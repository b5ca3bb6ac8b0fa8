/**
 * The part of a conversation that fits into the window of a model, the newest messages first. Messages that belong together
 * stay together, those that the turn answers always stay, and one that is too large by itself is cut in its middle.
 */
import type { ChatMessage } from '../../../models/transport.ts'
import { cutMessage, cutToTokens } from './cut-message.ts'
import { groupMessages, type MessageGroup, newestUserMessages, orphansBefore } from './groups.ts'
import type { MessageTokens } from './message-tokens.ts'
import { summaryNote } from './summary-note.ts'

/** Of the beginning of the answer, which endpoints count to the prompt. */
const answerTokens = 3

/** Of the limit, for the conversation: however long the instructions are, it keeps this share. */
const roomShareMin = 0.25

/** Of the room, for the summary; and what the note around it takes. */
const summaryShareMax = 0.5
const noteTokens = 60

/** Groups that are counted at once, newest first: those that are too old anyway are not counted. */
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
  /** Messages that it is not told, oldest first. */
  dropped: ChatMessage[]
  /** Messages whose middle is left out. */
  cut: number
  /** Of `messages`; never less than the tokenizer's count, and more where nothing had to be counted. */
  tokens: number
  /** True: the messages that always stay are larger than the window, and no text is left to cut. */
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
  const noteSize = sum(await tokens.count(note))
  const fitting = await newest(messages, room - noteSize, tokens, note.length > 0)
  return {
    ...fitting,
    messages: [...note, ...fitting.messages],
    dropped: [...orphans, ...fitting.dropped],
    tokens: fitting.tokens + noteSize,
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
  if (sparedTokens > room) return { ...(await cutToRoom(within(spared), room, tokens)), dropped: within(others) }

  const fitting = await newestThatFit(messages, others, room - sparedTokens, tokens)
  const isWhole = fitting.length === others.length
  const loose = isSummarised || isWhole ? 0 : withoutQuestion(messages, fitting, run)
  const remaining = new Set([...spared, ...fitting.slice(loose)])
  const fitted = within(groups.filter((group) => remaining.has(group)))
  return {
    messages: fitted,
    dropped: within(groups.filter((group) => !remaining.has(group))),
    cut: 0,
    tokens: sum(await tokens.count(fitted)),
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
  const fitting: MessageGroup[] = []
  let used = 0
  for (let to = groups.length; to > 0; to -= countedGroups) {
    const slice = groups.slice(Math.max(0, to - countedGroups), to)
    await tokens.count(slice.flatMap((group) => messages.slice(group.from, group.to)))
    for (const group of slice.reverse()) {
      used += sum(await tokens.count(messages.slice(group.from, group.to)))
      if (used > room) return fitting.reverse()
      fitting.push(group)
    }
  }
  return fitting.reverse()
}

/** Answers at the beginning whose question was dropped: some models refuse a conversation that begins with one. @returns how many */
function withoutQuestion(
  messages: readonly ChatMessage[],
  groups: readonly MessageGroup[],
  run: MessageGroup | null,
): number {
  const first = groups.findIndex(({ from }) => messages[from]?.role === 'user' || from >= (run?.from ?? 0))
  return first === -1 ? groups.length : first
}

/** Only the messages that always stay, the largest of them cut until all fit. */
async function cutToRoom(
  spared: readonly ChatMessage[],
  room: number,
  tokens: MessageTokens,
): Promise<Omit<Window, 'dropped'>> {
  const tokensMax = fairShare(await tokens.count(spared), room)
  const cut = await Promise.all(spared.map((message) => cutMessage(message, tokensMax, tokens)))
  const used = sum(await tokens.count(cut))
  return {
    messages: cut,
    cut: cut.filter((message, at) => message !== spared[at]).length,
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
