/**
 * The answers of running turns for watchers on any node. A node whose people watch a conversation of another node follows it
 * there: it says so every second, with how much it has of the answer, and gets what comes. So whatever the way between them
 * loses is there a second later, and a node that says nothing any more is sent nothing.
 */
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { NodesAround } from '../../runtime/nodes/leases.ts'
import { TextPile } from '../../runtime/text-pile.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import type { ConversationId, TurnId } from '../../store/id.ts'
import { type LiveTurn, type LiveTurns, type LiveTurnText, liveTurns, type Watcher } from './live-turns.ts'

/** How much of which answer a follower has; `turn` null: of none. */
interface Place {
  conversation: ConversationId
  turn: TurnId | null
  /** Of the transaction that recorded the attempt's start. */
  xid: string
  length: number
}

interface Follow {
  places: Place[]
}

interface Text {
  conversation: ConversationId
  turn: TurnId
  xid: string
  /** UTF-16 units of the answer before `text`. */
  offset: number
  text: string
}

type End = Pick<Text, 'conversation' | 'turn' | 'xid'>

/** A turn of another node that somebody watches here. */
interface Mirrored {
  node: number
  turn: LiveTurn
  text: TextPile
  out: LiveTurnText
}

const followEveryMs = seconds(1)
const followedMs = seconds(3)
/** Of one message. */
const placesMax = 2_000
const nobody: Watcher = { delta() {} }

export function liveTurnsOfNodes({ bus, nodes, clock }: { bus: Bus; nodes: NodesAround; clock: Clock }): LiveTurns {
  const here = liveTurns()
  /** Watched here: how many watchers. */
  const watched = new Map<ConversationId, number>()
  const mirrored = new Map<ConversationId, Mirrored>()
  /** Asked for since the last regular word. */
  const asked = new Set<ConversationId>()
  /** Watched on other nodes: until when each of them follows. */
  const followers = new Map<ConversationId, Map<number, number>>()
  /** Pieces that came in this turn of the loop. */
  const pieces = new Map<ConversationId, { turn: LiveTurn; offset: number; text: string }>()
  let isFollowing = false
  let forgotMs = clock.elapsed()

  // ---- the node of the watchers ----

  function follow(conversations: Iterable<ConversationId>): void {
    const byOwner = new Map<number, Place[]>()
    for (const conversation of conversations) {
      const owner = nodes.ownerOf(conversation)
      const mirror = mirrored.get(conversation)
      if (mirror && owner !== undefined && owner !== mirror.node) endMirrored(conversation)
      if (owner === undefined || owner === nodes.node) continue
      const places = byOwner.get(owner) ?? []
      byOwner.set(owner, places)
      places.push(placeIn(conversation))
    }
    for (const [owner, places] of byOwner) {
      for (let at = 0; at < places.length; at += placesMax)
        bus.send(owner, 'live.follow', { places: places.slice(at, at + placesMax) } satisfies Follow)
    }
  }

  function placeIn(conversation: ConversationId): Place {
    const mirror = mirrored.get(conversation)
    if (!mirror) return { conversation, turn: null, xid: '0', length: 0 }
    const { turn, text } = mirror
    return { conversation, turn: turn.turnId, xid: String(turn.startedXid), length: text.length }
  }

  function followAll(): void {
    asked.clear()
    follow(watched.keys())
    isFollowing = watched.size > 0
    if (isFollowing) clock.after(followEveryMs, followAll)
  }

  /** Something is missing: once, until the next regular word. */
  function askAgain(conversation: ConversationId): void {
    if (asked.has(conversation)) return
    asked.add(conversation)
    follow([conversation])
  }

  function onText(message: unknown, node: number): void {
    if (!isText(message)) return
    const { conversation, turn, xid, offset, text } = message
    if (!watched.has(conversation)) return
    let mirror = mirrored.get(conversation)
    const isSame = mirror?.turn.turnId === turn && String(mirror.turn.startedXid) === xid
    if (!isSame) {
      if (mirror && BigInt(xid) < mirror.turn.startedXid) return
      if (offset > 0) {
        askAgain(conversation)
        return
      }
      endMirrored(conversation)
      mirror = startMirroring(conversation, { turn, xid, node })
    }
    if (!mirror) return
    const missing = offset - mirror.text.length
    if (missing > 0) {
      askAgain(conversation)
      return
    }
    const piece = text.slice(-missing)
    if (piece === '') return
    mirror.text.add(piece)
    mirror.out.text(piece)
  }

  function startMirroring(
    conversation: ConversationId,
    { turn, xid, node }: { turn: TurnId; xid: string; node: number },
  ) {
    const text = new TextPile()
    const live: LiveTurn = { turnId: turn, startedXid: BigInt(xid), soFar: () => text.toString() }
    const mirror: Mirrored = { node, turn: live, text, out: here.begin(conversation, live) }
    mirrored.set(conversation, mirror)
    return mirror
  }

  function onEnd(message: unknown): void {
    if (!isEnd(message)) return
    const { conversation, turn, xid } = message
    const mirror = mirrored.get(conversation)
    if (mirror?.turn.turnId === turn && String(mirror.turn.startedXid) === xid) endMirrored(conversation)
  }

  function endMirrored(conversation: ConversationId): void {
    mirrored.get(conversation)?.out.end()
    mirrored.delete(conversation)
  }

  // ---- the node of the turns ----

  function onFollow(message: unknown, node: number): void {
    if (!isFollow(message)) return
    forgetFollowers()
    for (const place of message.places) {
      const { conversation } = place
      const all = followers.get(conversation) ?? new Map<number, number>()
      followers.set(conversation, all)
      all.set(node, clock.elapsed() + followedMs)
      catchUp(place, node)
    }
  }

  /** What the follower does not have yet, of what runs here. */
  function catchUp({ conversation, turn, xid, length }: Place, node: number): void {
    const now = mirrored.has(conversation) ? undefined : here.current(conversation)
    const isSame = now?.turnId === turn && String(now?.startedXid) === xid
    if (turn !== null && !isSame) bus.send(node, 'live.end', { conversation, turn, xid } satisfies End)
    if (!now) return
    const text = now.soFar()
    const offset = isSame ? length : 0
    if (text.length > offset) bus.send(node, 'live.text', textOf(conversation, now, offset, text.slice(offset)))
  }

  /** Those that follow no more. */
  function forgetFollowers(): void {
    const now = clock.elapsed()
    if (now - forgotMs < followedMs) return
    forgotMs = now
    for (const [conversation, all] of followers) {
      for (const [node, untilMs] of all) if (untilMs <= now) all.delete(node)
      if (all.size === 0) followers.delete(conversation)
    }
  }

  function* following(conversation: ConversationId): Iterable<number> {
    const all = followers.get(conversation)
    if (!all) return
    for (const [node, untilMs] of all) if (untilMs > clock.elapsed()) yield node
  }

  function piece(conversation: ConversationId, turn: LiveTurn, offset: number, text: string): void {
    const waiting = pieces.get(conversation)
    if (waiting?.turn === turn) {
      waiting.text += text
      return
    }
    if (pieces.size === 0) setImmediate(sendPieces)
    pieces.set(conversation, { turn, offset, text })
  }

  function sendPieces(): void {
    for (const [conversation, { turn, offset, text }] of pieces) {
      for (const node of following(conversation)) bus.send(node, 'live.text', textOf(conversation, turn, offset, text))
    }
    pieces.clear()
  }

  // ---- both ----

  function onTyping(message: unknown, from: number): void {
    const { conversation } = (message ?? {}) as { conversation?: ConversationId }
    if (typeof conversation !== 'string') return
    here.typing(conversation, nobody)
    if (nodes.ownerOf(conversation) === nodes.node) tellTyping(conversation, from)
  }

  function tellTyping(conversation: ConversationId, except: number): void {
    for (const node of following(conversation)) if (node !== except) bus.send(node, 'live.typing', { conversation })
  }

  bus.on('live.follow', onFollow)
  bus.on('live.text', onText)
  bus.on('live.end', onEnd)
  bus.on('live.typing', onTyping)
  return {
    begin(conversation, turn) {
      endMirrored(conversation)
      const out = here.begin(conversation, turn)
      if (here.current(conversation) !== turn) return out
      let length = 0
      return {
        text(words) {
          const offset = length
          length += words.length
          out.text(words)
          if (followers.has(conversation)) piece(conversation, turn, offset, words)
        },
        end() {
          out.end()
          if (!followers.has(conversation)) return
          sendPieces()
          const ended: End = { conversation, turn: turn.turnId, xid: String(turn.startedXid) }
          for (const node of following(conversation)) bus.send(node, 'live.end', ended)
        },
      }
    },
    current: here.current,
    watch(conversation, watcher) {
      const leave = here.watch(conversation, watcher)
      const before = watched.get(conversation) ?? 0
      watched.set(conversation, before + 1)
      if (before === 0) follow([conversation])
      if (!isFollowing) clock.after(followEveryMs, followAll)
      isFollowing = true
      return () => {
        leave()
        const left = (watched.get(conversation) ?? 1) - 1
        if (left > 0) watched.set(conversation, left)
        else {
          watched.delete(conversation)
          endMirrored(conversation)
        }
      }
    },
    typing(conversation, from) {
      here.typing(conversation, from)
      const owner = nodes.ownerOf(conversation)
      if (owner === nodes.node) tellTyping(conversation, owner)
      else if (owner !== undefined) bus.send(owner, 'live.typing', { conversation })
    },
    get watched() {
      return watched.size
    },
  }
}

function textOf(conversation: ConversationId, turn: LiveTurn, offset: number, text: string): Text {
  return { conversation, turn: turn.turnId, xid: String(turn.startedXid), offset, text }
}

function isFollow(message: unknown): message is Follow {
  const { places } = (message ?? {}) as Partial<Follow>
  return Array.isArray(places) && places.length <= placesMax && places.every(isPlace)
}

function isPlace(place: Partial<Place> | null): boolean {
  const { conversation, turn, xid, length } = place ?? {}
  return (
    typeof conversation === 'string' &&
    (turn === null || typeof turn === 'string') &&
    isXid(xid) &&
    Number.isSafeInteger(length)
  )
}

function isText(message: unknown): message is Text {
  const { offset, text } = (message ?? {}) as Partial<Text>
  return isEnd(message) && typeof text === 'string' && Number.isSafeInteger(offset) && (offset as number) >= 0
}

function isEnd(message: unknown): message is End {
  const { conversation, turn, xid } = (message ?? {}) as Partial<End>
  return typeof conversation === 'string' && typeof turn === 'string' && isXid(xid)
}

const isXid = (xid: unknown): xid is string => typeof xid === 'string' && /^\d{1,20}$/.test(xid)
