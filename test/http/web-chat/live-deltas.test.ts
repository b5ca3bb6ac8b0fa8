/** Deltas between the events of a feed: whichever of the two is first, no word before its start, none lost, none twice. */
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { type LiveTurn, type LiveTurns, liveTurns } from '../../../actors/feed/live-turns.ts'
import { type DeltaPlace, LiveDeltas } from '../../../http/web-chat/live-deltas.ts'
import type { StoredEvent } from '../../../store/events/events.ts'
import { firstWorkspaceId, newConversationId, newTurnId, type TurnId } from '../../../store/id.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const conversation = newConversationId()
let live: LiveTurns
let wakes: number
let told: { turn: TurnId; offset: number; text: string }[]
beforeEach(() => {
  live = liveTurns()
  wakes = 0
  told = []
})

function reader(place?: DeltaPlace): LiveDeltas {
  const feed = { wake: () => void wakes++ }
  return new LiveDeltas({ liveTurns: live, feed }, conversation, place, (turn, offset, text) =>
    told.push({ turn, offset, text }),
  )
}

const said = () => told.map(({ text }) => text).join('')

/** A turn as the one who runs it speaks: the text first grows, then the piece is told. */
function speaking(startedXid: bigint, turnId = newTurnId()) {
  let text = ''
  const turn: LiveTurn = { turnId, startedXid, soFar: () => text }
  const out = live.begin(conversation, turn)
  return {
    turnId,
    say(piece: string) {
      text += piece
      out.text(piece)
    },
    end: () => out.end(),
  }
}

function event(kind: string, turnId: TurnId, xid: bigint): StoredEvent {
  return {
    ...{ kind, position: { xid, id: 1n }, workspaceId: firstWorkspaceId, conversationId: conversation },
    ...{ channelId: null, channel: null, at: new Date(0), data: { turn_id: turnId } },
  }
}

function tell(deltas: LiveDeltas, what: StoredEvent): void {
  deltas.beforeEvent(what)
  deltas.afterEvent(what)
}

describe('a turn', () => {
  it('whose start is told before it speaks is heard from its first word on', () => {
    const deltas = reader()
    deltas.caughtUp({ xid: 5n, id: 1n })
    const turnId = newTurnId()
    tell(deltas, event('turn.started', turnId, 7n))
    const turn = speaking(7n, turnId)
    turn.say('one ')
    turn.say('two')
    expect(said()).toBe('one two')
    expect(wakes).toBe(0)
  })

  it('whose start is told after it spoke is heard from there, all at once; the feed is asked to hurry, once', () => {
    const deltas = reader()
    deltas.caughtUp({ xid: 5n, id: 1n })
    const turn = speaking(7n)
    turn.say('one ')
    turn.say('two ')
    expect(said()).toBe('')
    expect(wakes).toBe(1)
    tell(deltas, event('turn.started', turn.turnId, 7n))
    turn.say('three')
    expect(told.map(({ offset, text }) => [offset, text])).toEqual([
      [0, 'one two '],
      [8, 'three'],
    ])
  })

  it('that began before the reader came, and speaks only after, is heard', () => {
    const deltas = reader()
    deltas.caughtUp({ xid: 7n, id: 3n })
    speaking(7n).say('one')
    expect(said()).toBe('one')
  })

  it('that was left is gone on with, though it was silent when the reader came back', () => {
    const turn = speaking(7n)
    turn.say('one ')
    const deltas = reader({ turnId: turn.turnId, offset: 2 })
    expect(deltas.place).toEqual({ turnId: turn.turnId, offset: 2 })
    deltas.caughtUp({ xid: 8n, id: 1n })
    turn.say('two')
    expect(told.map(({ offset, text }) => [offset, text])).toEqual([
      [2, 'e '],
      [4, 'two'],
    ])
    expect(deltas.place).toEqual({ turnId: turn.turnId, offset: 7 })
  })

  it('that is tried once more is told from its beginning, whatever was heard of the first try', () => {
    const first = speaking(7n)
    const deltas = reader()
    deltas.caughtUp({ xid: 7n, id: 1n })
    first.say('lost words')
    first.end()
    tell(deltas, event('turn.started', first.turnId, 9n))
    expect(deltas.place).toBeUndefined()
    speaking(9n, first.turnId).say('anew')
    expect(told.at(-1)).toEqual({ turn: first.turnId, offset: 0, text: 'anew' })
  })

  it('that has ended leaves no place behind; the end of another one does not take it', () => {
    const turn = speaking(7n)
    const deltas = reader()
    deltas.caughtUp({ xid: 7n, id: 1n })
    turn.say('one')
    deltas.beforeEvent(event('turn.cancelled', newTurnId(), 8n))
    deltas.beforeEvent(event('message.created', turn.turnId, 8n))
    expect(deltas.place?.offset).toBe(3)
    deltas.beforeEvent(event('turn.completed', turn.turnId, 9n))
    expect(deltas.place).toBeUndefined()
  })

  it('is not heard by who has left', () => {
    const deltas = reader()
    deltas.caughtUp({ xid: 7n, id: 1n })
    expect(live.watched).toBe(1)
    deltas.close()
    speaking(7n).say('one')
    expect(told).toEqual([])
    expect(live.watched).toBe(0)
  })
})

it('a place beyond what was said so far is waited for', () => {
  const turn = speaking(7n)
  turn.say('abc')
  reader({ turnId: turn.turnId, offset: 5 }).caughtUp({ xid: 7n, id: 1n })
  turn.say('defg')
  expect(told.map(({ offset, text }) => [offset, text])).toEqual([[5, 'fg']])
})

it('whatever is said in whatever pieces arrives whole, in pieces of bounded size that break no character', () => {
  const piece = fc
    .string({ unit: 'binary', maxLength: 40 })
    .chain((text) => fc.integer({ min: 1, max: 2_000 }).map((times) => text.repeat(times)))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.nat({ max: 6 }), (pieces, joinsAt) => {
      live = liveTurns()
      told = []
      const turn = speaking(7n)
      for (const [at, text] of pieces.entries()) {
        if (at === joinsAt) reader().caughtUp({ xid: 7n, id: 1n })
        turn.say(text)
      }
      if (joinsAt >= pieces.length) reader().caughtUp({ xid: 7n, id: 1n })
      expect(said()).toBe(pieces.join(''))
      let offset = 0
      for (const delta of told) {
        expect(delta.offset).toBe(offset)
        expect(delta.text.length).toBeLessThanOrEqual(8_192)
        expect(delta.text.isWellFormed()).toBe(true)
        offset += delta.text.length
      }
    }),
    { numRuns: propertyRuns(50) },
  )
})
