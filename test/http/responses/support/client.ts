/** What the tests of the Responses API ask, and the events of a stream as they came. */
import { expect } from 'vitest'
import { type GatewayUnderTest, testKey } from '../../../support/gateway.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into whatever JSON comes
export type Json = Record<string, any>

export interface ResponsesClient {
  create(body: object, signal?: AbortSignal): Promise<Response>
  /** @throws where the answer is not 200 */
  created(body: object): Promise<Json>
  streamed(body: object): Promise<Json[]>
  retrieve(id: string, query?: string): Promise<Response>
  retrieved(id: string): Promise<Json>
  cancel(id: string): Promise<Response>
  remove(id: string): Promise<Response>
  items(id: string, query?: string): Promise<Response>
}

export function responsesClient(service: GatewayUnderTest): ResponsesClient {
  const create = (body: object, signal?: AbortSignal) =>
    service.post('/v1/responses', { model: 'm', ...body }, {}, signal)
  const path = (id: string) => `/v1/responses/${id}`
  const retrieve = (id: string, query = '') => service.get(`${path(id)}${query}`)
  return {
    create,
    async created(body) {
      const answer = await create(body)
      const json = await answer.json()
      expect(answer.status, JSON.stringify(json)).toBe(200)
      return json as Json
    },
    async streamed(body) {
      const answer = await create({ ...body, stream: true })
      expect(answer.status).toBe(200)
      return eventsIn(await answer.text())
    },
    retrieve,
    async retrieved(id) {
      const answer = await retrieve(id)
      expect(answer.status).toBe(200)
      return (await answer.json()) as Json
    },
    cancel: (id) => service.post(`${path(id)}/cancel`, {}),
    remove: (id) =>
      fetch(`${service.url}${path(id)}`, { method: 'DELETE', headers: { authorization: `Bearer ${testKey}` } }),
    items: (id, query = '') => service.get(`${path(id)}/input_items${query}`),
  }
}

/** Each with the name that stands before it. */
export function eventsIn(text: string): Json[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('event: '))
    .map((event) => {
      const [name = '', data = ''] = event.split('\n')
      const parsed = JSON.parse(data.slice('data: '.length)) as Json
      expect(name).toBe(`event: ${parsed['type']}`)
      return parsed
    })
}

export const typesOf = (events: readonly Json[]): string[] => events.map(({ type }) => type)
