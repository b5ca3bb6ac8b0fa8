/** Tickets: good for one conversation and some minutes, made by nobody else, and for nothing but a web chat. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credential } from '../../../http/auth/credential.ts'
import { type Ticket, tickets } from '../../../http/auth/tickets.ts'
import { firstWorkspaceId, newConversationId } from '../../../store/id.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { type Talk, talk } from '../admin/conversations/support/talk.ts'
import { ticketFor } from './support/web-chat.ts'

const maker: Credential = { kind: 'key', digest: 'd1'.repeat(32) }

function ticketUntil(expiresAtMs: number): Ticket {
  return { workspaceId: firstWorkspaceId, conversationId: newConversationId(), isNew: false, expiresAtMs, maker }
}

describe('a ticket', () => {
  it('opens as what it was issued for until the instant it ends', async () => {
    const clock = virtualClock()
    const office = tickets(clock)
    const ticket = ticketUntil(clock.now() + 60_000)
    const text = office.issue(ticket)
    await clock.advance(59_999)
    expect(office.read(text)).toEqual(ticket)
    await clock.advance(1)
    expect(office.read(text)).toBeUndefined()
  })

  it('says nothing of what it was made with to whoever holds it', () => {
    const clock = virtualClock()
    const text = tickets(clock).issue(ticketUntil(clock.now() + 60_000))
    const said = Buffer.from(text.slice(3), 'base64url').toString('latin1')
    for (const part of ['digest', maker.digest, 'conv_']) expect(text + said).not.toContain(part)
  })

  it('of another start of the service is none', () => {
    const clock = virtualClock()
    const text = tickets(clock).issue(ticketUntil(clock.now() + 60_000))
    expect(tickets(clock).read(text)).toBeUndefined()
  })

  it('that was changed in any character that says something is none, and no text makes it throw', () => {
    const clock = virtualClock()
    const office = tickets(clock)
    const ticket = ticketUntil(clock.now() + 60_000)
    const text = office.issue(ticket)
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(text.charAt(at) !== character)
        expect(office.read(text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined()
      }),
    )
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (any) => {
        expect(office.read(any)).toBeUndefined()
      }),
    )
  })
})

describe('POST /v1/web/tickets', () => {
  let our: Talk
  beforeAll(async () => {
    our = await talk()
  })
  afterAll(() => our.stop())

  async function ask(body: unknown, key: string): Promise<Response> {
    return fetch(`${our.service.url}/v1/web/tickets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  it('makes one for who may chat, for a new conversation or one of its workspace', async () => {
    const id = await our.say(['hello'])
    const fresh = await ticketFor(our)
    expect(fresh.ticket).toMatch(/^wt_/)
    expect(fresh.conversation_id).toMatch(/^conv_/)
    const made = await ask({ conversation_id: id, ttl_s: 10 }, our.chatter)
    expect(made.status).toBe(201)
    const { conversation_id, expires_at } = (await made.json()) as { conversation_id: string; expires_at: string }
    expect(conversation_id).toBe(id)
    const secondsLeft = (Date.parse(expires_at) - Date.now()) / 1_000
    expect(secondsLeft).toBeGreaterThan(0)
    expect(secondsLeft).toBeLessThanOrEqual(10)
  })

  it('makes none for others, for conversations that are not there, or for longer than an hour', async () => {
    const id = await our.say(['hello'])
    expect((await ask({ conversation_id: id }, our.reader)).status).toBe(403)
    expect((await ask({ conversation_id: id }, our.stranger)).status).toBe(404)
    expect((await ask({ conversation_id: newConversationId() }, our.chatter)).status).toBe(404)
    for (const ttl_s of [9, 3_601, 20.5, '60']) expect((await ask({ ttl_s }, our.chatter)).status).toBe(400)
    const { ticket } = await ticketFor(our, id)
    expect((await ask({ conversation_id: id }, ticket)).status).toBe(401)
  })
})
