/** What the router knows of a request: counted once, in linear time, from the person's newest messages. */
import type { ChatMessage, ModelRequest } from '../transport.ts'
import { reasoningCuesIn } from './reasoning-cues.ts'

export interface TurnFacts {
  /** Characters of the person's messages since the last answer. */
  characters: number
  /** Messages of the request, the past included. */
  messages: number
  hasCode: boolean
  /** The model may call tools. */
  hasTools: boolean
  /** Images, recordings, files. */
  hasAttachments: boolean
  questions: number
  listItems: number
  /** Different words that ask for reasoning: prove, compare, design, проанализируй, пошагово… */
  reasoningCues: number
}

/** Of a long text its beginning and its end are read. */
const readCharacters = 8_192

/** More of one kind make no difference. */
const countMax = 16

export function factsOf({ messages, parameters }: Pick<ModelRequest, 'messages' | 'parameters'>): TurnFacts {
  const newest = sinceLastAnswer(messages)
  const texts: string[] = []
  let hasAttachments = false
  for (const { content } of newest) {
    if (typeof content === 'string') texts.push(content)
    else
      for (const part of content ?? []) {
        if (typeof part?.['text'] === 'string') texts.push(part['text'])
        else hasAttachments = true
      }
  }
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const text = endsOf(texts.join('\n'))
  const { tools, functions } = parameters
  return {
    characters,
    messages: messages.length,
    hasCode: text.includes('```') || codeLine.test(text),
    hasTools: [tools, functions].some((each) => Array.isArray(each) && each.length > 0),
    hasAttachments,
    questions: matches(text, question),
    listItems: matches(text, listItem),
    reasoningCues: reasoningCuesIn(text, countMax),
  }
}

/** The person's messages after the last answer; results of tools are not theirs. */
function sinceLastAnswer(messages: readonly ChatMessage[]): ChatMessage[] {
  const answered = messages.findLastIndex(({ role, tool_calls: calls }) => role === 'assistant' && !calls)
  return messages.slice(answered + 1).filter(({ role }) => role === 'user')
}

function endsOf(text: string): string {
  if (text.length <= readCharacters) return text
  return `${text.slice(0, readCharacters / 2)}\n${text.slice(-readCharacters / 2)}`
}

const codeLine =
  /(?:^|\n)[ \t]{0,16}(?:(?:def|class|function|const|let|import|public|private|func|fn|package|using) [\w{*(]|#include|#!\/|<\?|SELECT [\w*]|at [\w.$]{1,64}\(|Traceback \()/

const question = /[?？]/g

const listItem = /(?:^|\n)[ \t]{0,8}(?:[-*•]|\d{1,3}[.)]) /g

function matches(text: string, pattern: RegExp): number {
  pattern.lastIndex = 0
  let count = 0
  while (count < countMax && pattern.test(text)) count++
  return count
}
