/** What tests of agents share: answers that call tools, tools that the test makes, and agents in the database. */
import type { GatewayUnderTest } from '../../../support/gateway.ts'
import {
  chunkOf,
  completionOf,
  type RecordedRequest,
  type ScriptedAnswer,
  usageChunk,
} from '../../../support/model-endpoint.ts'

export interface RequestedCall {
  name: string
  arguments: object | string
  id?: string
}

/** The model asks for these calls, streamed or not as it is asked itself. */
export function calls(...asked: RequestedCall[]): ScriptedAnswer {
  return textAndCalls('', ...asked)
}

/** The model says something and asks for calls. */
export function textAndCalls(text: string, ...asked: RequestedCall[]): ScriptedAnswer {
  const toolCalls = asked.map((call, at) => ({
    id: call.id ?? `call_${at}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }))
  return ({ request, response }) => {
    const finish = asked.length > 0 ? 'tool_calls' : 'stop'
    const message = {
      role: 'assistant',
      content: text === '' && asked.length > 0 ? null : text,
      ...(asked.length > 0 && { tool_calls: toolCalls }),
    }
    if (request.body?.stream !== true) {
      const body = completionOf(message)
      Object.assign((body as { choices: object[] }).choices[0] as object, { finish_reason: finish })
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunks = [
      chunkOf({ role: 'assistant', content: text }),
      ...toolCalls.map((call, index) => chunkOf({ tool_calls: [{ index, ...call }] })),
      chunkOf({}, { finish }),
      usageChunk(),
    ]
    response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`)
  }
}

export const answer = (text: string): ScriptedAnswer => textAndCalls(text)

/** Makes an agent over the API and waits until it is known. */
export async function makeAgent(service: GatewayUnderTest, name: string, definition: object = {}): Promise<void> {
  const made = await service.post('/v1/admin/agents', { name, definition })
  if (made.status !== 201) throw new Error(`the agent was not made: ${await made.text()}`)
}

interface Completion {
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into what the service answered
  choices: any[]
  usage: { total_tokens: number }
}

export async function ask(
  service: GatewayUnderTest,
  agent: string,
  text: string,
  more: object = {},
): Promise<Completion> {
  const response = await service.post('/v1/chat/completions', {
    model: agent,
    messages: [{ role: 'user', content: text }],
    ...more,
  })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()) as Completion
}

export const textOf = (completion: Completion): string => completion.choices[0].message.content

/** The results of calls that the model was told, of its last request; those of sub-agents without their marks. */
export function toolResults(request: RecordedRequest | undefined): string[] {
  return (request?.body.messages ?? [])
    .filter(({ role }: { role: string }) => role === 'tool')
    .map(({ content }: { content: string }) => content.replace(bySubAgents, '$1'))
}

const bySubAgents = /<untrusted source="delegate" [^>]*>\n([\s\S]*?)\n<\/untrusted [^>]*>/

/** What the service wrote of failures of its own. */
export const defects = (service: GatewayUnderTest): unknown[] =>
  service.lines.filter((line) => /crash|defect|error/i.test(JSON.stringify(line)))
