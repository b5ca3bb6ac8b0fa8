/** Usage of a call whose endpoint sends no counts: estimated with a tokenizer. */
import type { ChatMessage, ModelRequest, Usage } from './transport.ts'

export interface TokenCounter {
  /** One count for each text. Never rejects: where the tokenizer cannot count, a count is estimated from the length. */
  count(texts: readonly string[]): Promise<number[]>
  close(): Promise<void>
}

/** The vocabulary's own convention: for each message its role and marks, for a name, and for the beginning of the answer. */
const messageTokens = 3
const nameTokens = 1
const answerTokens = 3

/** Text only: what an image or a recording costs differs by a factor of a hundred between models, and counts nothing here. */
export async function estimateUsage(
  tokens: TokenCounter,
  request: Pick<ModelRequest, 'messages' | 'parameters'>,
  answerText: string,
): Promise<Usage> {
  const [requestTokens = 0, completion = 0] = await tokens.count([requestText(request), answerText])
  const marks = request.messages.reduce((sum, { name }) => sum + messageTokens + (name ? nameTokens : 0), answerTokens)
  const prompt = requestTokens + marks
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

function requestText({ messages, parameters }: Pick<ModelRequest, 'messages' | 'parameters'>): string {
  const texts = messages.map(textOf)
  for (const name of ['tools', 'functions', 'response_format'])
    if (parameters[name]) texts.push(JSON.stringify(parameters[name]))
  return texts.join('\n')
}

function textOf(message: ChatMessage): string {
  const { role, content, name, tool_calls: calls } = message
  const texts = [role]
  if (typeof name === 'string') texts.push(name)
  if (typeof content === 'string') texts.push(content)
  else if (Array.isArray(content)) for (const part of content) if (typeof part?.text === 'string') texts.push(part.text)
  if (Array.isArray(calls)) texts.push(JSON.stringify(calls))
  return texts.join('\n')
}
