/** `POST /v1/chat/completions`: OpenAI's chat API, streamed or not, with or without a stored conversation. */

import { call as callActor } from '../../actors/call/actor.ts'
import { conversation } from '../../actors/conversation/actor.ts'
import { unknownConversation } from '../../actors/conversation/answer-posted.ts'
import type { PostedTurn } from '../../actors/turn/posted-turn.ts'
import type { ChatMessage } from '../../models/transport.ts'
import { conversationExists } from '../../store/conversations/history.ts'
import { ConversationId, newConversationId, newTurnId, type TurnId, uuidOf } from '../../store/id.ts'
import { operatorOf, type Reach } from '../../store/owner-id.ts'
import { key, type Principal } from '../access.ts'
import { type Answer, eventStream, reply } from '../answer.ts'
import { reachOf } from '../auth/conversation-reach.ts'
import type { Call } from '../call.ts'
import { ApiError, badRequest, envelopeOf, errorEnvelope } from '../error.ts'
import { route } from '../route.ts'
import { AnswerStream } from './answer-stream.ts'
import { chunkWriter, doneEvent, errorEvent } from './chunks.ts'
import { chatError } from './errors.ts'
import { findAgent } from './find-agent.ts'
import { withHeldTokens } from './held-tokens.ts'
import { ChatCompletionRequest, type ParsedRequest, parseChatRequest } from './request.ts'
import { ChatCompletionResponse } from './response.ts'

const conversationHeader = 'x-service-conversation-id'

type ChatCall = Call<ChatCompletionRequest, undefined, undefined, Principal>

export const createChatCompletion = route({
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Answer a conversation',
  description:
    'With stream true the answer is text/event-stream of chat.completion.chunk objects, ended by [DONE]. ' +
    'X-Service-Conversation-Id (or metadata.conversation_id) continues a stored conversation; `new` starts one.',
  tag: 'chat',
  access: key('chat'),
  headers: [conversationHeader],
  bodyBytesMax: 16 * 1_024 * 1_024,
  body: ChatCompletionRequest,
  answers: { 200: ChatCompletionResponse },
  handle(call) {
    const request = parseChatRequest(call.body)
    const target = findTarget(call, request)
    const answer = () => {
      const post = postedTurn(call, request, target)
      const run = (held: PostedTurn) =>
        request.isStream ? stream(call, request, held, target) : complete(call, held, target)
      return call.principal.tokenRates ? withHeldTokens(call.app, call.principal, post).then(run) : run(post)
    }
    const reach = reachOf(call.principal)
    // Whoever reaches all is told by the conversation itself.
    if (reach.owner === null || target.isNew || !target.conversationId) return answer()
    return requireConversation(call, reach, target.conversationId).then(answer)
  },
})

async function requireConversation({ app }: ChatCall, reach: Reach, id: ConversationId): Promise<void> {
  if (!(await conversationExists(app.db, reach, id))) throw chatError(unknownConversation())
}

/** Which conversation the call belongs to. */
interface Target {
  turnId: TurnId
  conversationId: ConversationId | undefined
  isNew: boolean
}

function findTarget(call: ChatCall, request: ParsedRequest): Target {
  const turnId = newTurnId()
  const inHeader = call.header(conversationHeader)
  const named = inHeader || request.conversationId
  if (!named) return { turnId, conversationId: undefined, isNew: false }
  if (named === 'new') return { turnId, conversationId: newConversationId(), isNew: true }
  const parsed = ConversationId.safeParse(named)
  if (!parsed.success)
    throw badRequest(
      `the conversation id ${parsed.error.issues[0]?.message}, or the word new`,
      inHeader ? conversationHeader : 'metadata.conversation_id',
    )
  return { turnId, conversationId: parsed.data, isNew: false }
}

function postedTurn(call: ChatCall, request: ParsedRequest, target: Target): PostedTurn {
  return {
    turnId: target.turnId,
    workspaceId: call.principal.workspaceId,
    apiKeyId: call.principal.keyId,
    operatorId: operatorOf(call.principal.owner),
    requestId: call.requestId,
    model: request.model,
    messages: request.messages as ChatMessage[],
    parameters: request.parameters,
    isStream: request.isStream,
    agent: findAgent(call, request.model),
  }
}

function askForTurn(call: ChatCall, post: PostedTurn, { conversationId, isNew }: Target) {
  const { system } = call.app
  const streams = post.isStream ? [post.turnId] : []
  const options = { signal: call.signal, deadlineMs: Number.POSITIVE_INFINITY, streams }
  if (!conversationId) return system.actor(callActor, post.turnId).ask('post', post, options)
  return system
    .actor(conversation, conversationId)
    .ask('post', { ...post, isNew, owner: call.principal.owner }, options)
}

const completionId = (turn: TurnId): string => `chatcmpl-${uuidOf(turn)}`

function conversationHeaders(target: Target): Record<string, string> {
  return target.conversationId ? { [conversationHeader]: target.conversationId } : {}
}

async function complete(call: ChatCall, post: PostedTurn, target: Target): Promise<Answer> {
  const createdS = Math.floor(call.app.clock.now() / 1_000)
  const outcome = await askForTurn(call, post, target).catch((error: unknown) => {
    throw chatError(error)
  })
  return reply(
    200,
    {
      id: completionId(post.turnId),
      object: 'chat.completion',
      created: createdS,
      model: outcome.model,
      choices: outcome.choices,
      usage: outcome.usage,
      ...outcome.extra,
    },
    conversationHeaders(target),
  )
}

/**
 * The status is sent with the first delta, or after 15 s of silence. A failure before that is an ordinary error with its
 * own status; a later one is the last event of the stream.
 */
async function stream(call: ChatCall, request: ParsedRequest, post: PostedTurn, target: Target): Promise<Answer> {
  const { system, clock } = call.app
  const chunks = chunkWriter({
    id: completionId(post.turnId),
    createdS: Math.floor(clock.now() / 1_000),
    model: request.model,
    wantsUsage: request.includesUsage,
  })
  const live = new AnswerStream(chunks, clock)
  live.follow(system.streams.subscribe(post.turnId, live))
  const asked = askForTurn(call, post, target)
  try {
    await Promise.race([live.opened, asked])
  } catch (error) {
    live.stop()
    throw chatError(error)
  }
  return eventStream(conversationHeaders(target), async (out) => {
    live.attach(out)
    try {
      const outcome = await asked
      await live.ended
      out.write(chunks.unfinished() + (request.includesUsage ? chunks.usage(outcome.usage) : '') + doneEvent)
    } catch (thrown) {
      if (out.signal.aborted) return live.stop()
      out.write(errorEvent(terminalError(call, thrown)) + doneEvent)
    }
    live.stop()
    out.end()
  })
}

/** The last event of a stream that failed: the error's envelope; for a defect, one with a code that is also in the log. */
function terminalError(call: ChatCall, thrown: unknown): object {
  const error = chatError(thrown)
  if (error instanceof ApiError) return envelopeOf(error)
  const code = `SVC-${uuidOf(newTurnId()).slice(-8).toUpperCase()}`
  call.app.log.error({ err: thrown, requestId: call.requestId, code }, 'defect in a streamed answer')
  return errorEnvelope('api_error', code, 'The service failed. Its log has this code.')
}
