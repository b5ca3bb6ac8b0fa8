/** A ticket has no more than its maker: what its holder does counts on the rate of the key that made it. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Talk, talk } from '../admin/conversations/support/talk.ts'
import { visitors } from './support/web-chat.ts'

let our: Talk
const guests = visitors(() => our)
beforeAll(async () => {
  our = await talk()
})
afterEach(() => guests.leave())
afterAll(() => our.service.stop())

const rpm = 5

async function limitedKey(): Promise<string> {
  const made = await our.service.post('/v1/admin/apikeys', { name: 'limited', scopes: ['chat'], rate_limit_rpm: rpm })
  return ((await made.json()) as { key: string }).key
}

function as(key: string, path: string, body: object): Promise<Response> {
  return fetch(`${our.service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

it('frames of its sockets count, whichever of its tickets they come by, and other keys are not held up', async () => {
  const key = await limitedKey()
  const tickets: string[] = []
  for (let at = 0; at < 2; at++) {
    const made = await as(key, '/v1/web/tickets', {})
    tickets.push(((await made.json()) as { ticket: string }).ticket)
  }
  // Two requests for tickets and two for sockets have been counted: one frame is left of five.
  const [one, two] = await Promise.all(tickets.map((ticket) => guests.chat({ ticket })))
  const answers: unknown[] = []
  for (const [at, client] of [one, two, one, two].entries()) {
    client?.send({ type: 'send', id: `f${at}`, text: 'hello' })
    answers.push(await client?.answerTo(`f${at}`))
  }
  expect(answers[0]).toMatchObject({ kind: 'ok' })
  for (const answer of answers.slice(1))
    expect(answer).toMatchObject({ kind: 'error', error: { code: 'rate_limit_exceeded', type: 'rate_limit_error' } })
  expect((await as(key, '/v1/chat/completions', {})).status).toBe(429)
  expect((await as(our.chatter, '/v1/web/tickets', {})).status).toBe(201)
  one?.send({ type: 'ping', id: 'still' })
  expect(await one?.answerTo('still')).toMatchObject({ kind: 'pong' })
})
