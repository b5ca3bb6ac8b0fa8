/** The official SDK twice: through the gateway, and straight at the scripted endpoint behind it. What it makes of both is compared. */
import OpenAI from 'openai'
import { expect } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import type { ScriptedAnswer } from '../../support/model-endpoint.ts'

export type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk
export type ApiFailure = InstanceType<typeof OpenAI.APIError>

export const hello = { model: 'gpt-test', messages: [{ role: 'user' as const, content: 'hello' }] }

export interface SdkPair {
  service: GatewayUnderTest
  ours: OpenAI
  direct: OpenAI
  /** The same call on both ways, ours first, each with the same scripted answers. */
  both<Result>(
    answers: ScriptedAnswer | ScriptedAnswer[],
    call: (client: OpenAI) => Promise<Result>,
  ): Promise<[through: Result, straight: Result]>
  /** What the endpoint was sent on each way in the last `both`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into JSON they have made themselves
  sent(): [through: any[], straight: any[]]
}

/** Neither client tries again by itself: a script is for one call. */
export async function sdkPair(environment: Record<string, string> = {}): Promise<SdkPair> {
  const service = await gatewayUnderTest(environment)
  const ours = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const direct = new OpenAI({ baseURL: service.endpoint.url, apiKey: 'sk-any', maxRetries: 0 })
  const marks = { begin: 0, middle: 0, end: 0 }
  const bodies = (from: number, to: number) => service.endpoint.requests.slice(from, to).map(({ body }) => body)
  return {
    service,
    ours,
    direct,
    async both(answers, call) {
      const { requests, script } = service.endpoint
      marks.begin = requests.length
      script(...[answers].flat())
      const through = await call(ours)
      marks.middle = requests.length
      script(...[answers].flat())
      const straight = await call(direct)
      marks.end = requests.length
      return [through, straight]
    },
    sent: () => [bodies(marks.begin, marks.middle), bodies(marks.middle, marks.end)],
  }
}

/** Each answer has an id and a time of its own. */
export function withoutIdentity<Answer extends { id: string; created: number }>(
  answer: Answer,
): Omit<Answer, 'id' | 'created'> {
  const { id, created, ...rest } = answer
  expect(id).toMatch(/^chatcmpl-/)
  expect(created).toBeGreaterThan(1_600_000_000)
  return rest
}

export async function chunksOf(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

export async function failureOf(call: Promise<unknown>): Promise<ApiFailure> {
  const failure = await call.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  )
  return failure as ApiFailure
}
