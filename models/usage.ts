/** Usage of a call whose endpoint counts nothing: estimated with a real tokenizer. */
import type { ChatMessage, ModelRequest, Usage } from './transport.ts'

export interface TokenCounter {
  /** One count for each text. Never rejects: where the tokenizer cannot be asked, the count is a rough one. */
  count(texts: readonly string[]): Promise<number[]>
  close(): Promise<void>
}

/** Of each message, its role and the marks around it; of the answer's beginning. By the vocabulary's own convention. */
const messageTokens = 3
const nameTokens = 1
const answerTokens = 3

/** Text only: what an image or a recording costs differs by a factor of a hundred between models, and counts nothing here. */
export async function estimateUsage(
  tokens: TokenCounter,
  request: Pick<ModelRequest, 'messages' | 'parameters'>,
  said: string,
): Promise<Usage> {
  const [asked = 0, answered = 0] = await tokens.count([requestText(request), said])
  const marks = request.messages.reduce((sum, { name }) => sum + messageTokens + (name ? nameTokens : 0), answerTokens)
  const prompt = asked + marks
  return { prompt_tokens: prompt, completion_tokens: answered, total_tokens: prompt + answered }
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
