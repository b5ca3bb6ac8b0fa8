/** `POST /v1/responses`: OpenAI's Responses API on the turns of the chat API, streamed or not, stored or not. */
import { pastMessagesMax } from '../../actors/agent/context/past.ts'
import { call as callActor } from '../../actors/call/actor.ts'
import { conversation } from '../../actors/conversation/actor.ts'
import type { PostedResponse } from '../../actors/conversation/answer-posted.ts'
import type { CompletedTurn, PostedTurn } from '../../actors/turn/posted-turn.ts'
import { TurnFailed } from '../../actors/turn/turn-failed.ts'
import type { ChatMessage } from '../../models/transport.ts'
import { copyUntil } from '../../store/conversations/copies.ts'
import {
  type ConversationId,
  newConversationId,
  newTurnId,
  type ResponseId,
  type TurnId,
  uuidOf,
} from '../../store/id.ts'
import { operatorOf } from '../../store/owner-id.ts'
import { messagesUntil, placeOfResponse, type ResponsePlace } from '../../store/responses.ts'
import { key, type Principal } from '../access.ts'
import { type Answer, eventStream, reply } from '../answer.ts'
import { reachOf } from '../auth/conversation-reach.ts'
import type { Call } from '../call.ts'
import { chatError } from '../chat/errors.ts'
import { findAgent } from '../chat/find-agent.ts'
import { withHeldTokens } from '../chat/held-tokens.ts'
import { ApiError } from '../error.ts'
import { route } from '../route.ts'
import { messagesOf } from './chat-messages.ts'
import { clientTools } from './chat-tools.ts'
import { type EndedAnswer, ResponseEvents } from './events.ts'
import { noResponse } from './find.ts'
import { responseIdOf } from './ids.ts'
import { LiveResponse } from './live-response.ts'
import { type OutputForm, otherItems, outputOf } from './output.ts'
import { type ParsedResponse, parseResponse } from './parse.ts'
import { referredItems } from './referred.ts'
import { CreateResponse } from './request.ts'
import { incompleteReason, ResponseObject, type ResponseParts, responseObject } from './response-object.ts'

type ResponsesCall = Call<CreateResponse, undefined, undefined, Principal>

export const createResponse = route({
  method: 'POST',
  path: '/v1/responses',
  summary: 'Create a response',
  description:
    'The answer of a model or an agent as items. With stream true it is text/event-stream. It is stored unless store is ' +
    'false, and then it can be retrieved, continued with previous_response_id, and deleted.',
  tag: 'responses',
  access: key('chat'),
  bodyBytesMax: 16 * 1_024 * 1_024,
  body: CreateResponse,
  answers: { 200: ResponseObject },
  handle: create,
})

/** What a request has become: a turn, and the form of its answer. */
interface Job {
  call: ResponsesCall
  id: ResponseId
  request: ParsedResponse
  post: PostedTurn
  parts: ResponseParts
  form: OutputForm
  /** Where a stored one is continued; null: nowhere. */
  previous: ResponsePlace | null
}

async function create(call: ResponsesCall): Promise<Answer> {
  const request = parseResponse(call.body)
  const referred = await referredItems(call, request.input)
  const previous = request.previous ? await previousPlace(call, request.previous) : null
  const messages = messagesOf(request.input, referred)
  if (request.instructions) messages.unshift({ role: 'system', content: request.instructions })
  if (!request.isStored && previous) messages.splice(request.instructions ? 1 : 0, 0, ...(await pastOf(call, previous)))
  const turnId = newTurnId()
  const id = responseIdOf(turnId)
  const createdS = Math.floor(call.app.clock.now() / 1_000)
  const job: Job = {
    call,
    id,
    request,
    post: await withHeldTokens(call.app, call.principal, postedTurn(call, request, { turnId, messages })),
    parts: { id, createdS, model: request.model, repeated: request.repeated },
    form: {
      turn: turnId,
      tools: clientTools(request.repeated.tools),
      includesSealedReasoning: request.includesSealedReasoning,
    },
    previous,
  }
  return request.isStream || request.isBackground ? await stream(job) : await complete(job)
}

/** @throws ApiError 404, or 409 while it runs */
async function previousPlace({ app, principal }: ResponsesCall, id: ResponseId): Promise<ResponsePlace> {
  const place = await placeOfResponse(app.db, reachOf(principal), id)
  if (!place) throw noResponse(id, 'previous_response_id')
  if (place.status === 'running' || place.status === 'queued')
    throw new ApiError('turn_in_progress', 'The previous response has not ended.', { param: 'previous_response_id' })
  return place
}

async function pastOf({ app, principal }: ResponsesCall, place: ResponsePlace): Promise<ChatMessage[]> {
  return (await messagesUntil(app.db, principal.workspaceId, place, pastMessagesMax)) as ChatMessage[]
}

function postedTurn(
  call: ResponsesCall,
  request: ParsedResponse,
  { turnId, messages }: { turnId: TurnId; messages: ChatMessage[] },
): PostedTurn {
  return {
    turnId,
    workspaceId: call.principal.workspaceId,
    apiKeyId: call.principal.keyId,
    operatorId: operatorOf(call.principal.owner),
    requestId: call.requestId,
    model: request.model,
    messages,
    parameters: request.parameters,
    isStream: request.isStream || request.isBackground,
    agent: findAgent(call, request.model),
    responses: request.responses,
  }
}

/** Of one that is not stored, its caller's leaving ends the turn; a stored one is finished, whoever waits. */
async function ask(job: Job): Promise<CompletedTurn> {
  const { call, request, post, previous } = job
  const { system } = call.app
  const deadlineMs = Number.POSITIVE_INFINITY
  if (!request.isStored)
    return system.actor(callActor, post.turnId).ask('post', post, { signal: call.signal, deadlineMs })
  if (!previous) return await askConversation(job, newConversationId(), null)
  if (previous.seq === previous.lastSeq) {
    try {
      return await askConversation(job, previous.conversation, previous.seq)
    } catch (error) {
      if (!(error instanceof TurnFailed && error.code === 'conversation_moved')) throw error
    }
  }
  // The conversation has gone on from there: this is another way on.
  const copy = newConversationId()
  const source = previous.conversation
  const copied = await copyUntil(call.app.db, post.workspaceId, { source, id: copy, seq: previous.seq })
  if (copied === 'unknown') throw noResponse(request.previous ?? job.id, 'previous_response_id')
  if (copied === 'too_long') {
    const message = 'The conversation is too long for a second continuation from the same response.'
    throw new ApiError('conversation_too_long', message, { param: 'previous_response_id' })
  }
  return await askConversation(job, copy, copied)
}

function askConversation(
  { call, request, post, parts }: Job,
  id: ConversationId,
  afterSeq: number | null,
): Promise<CompletedTurn> {
  const response: PostedResponse = {
    afterSeq,
    previous: request.previous,
    createdAtMs: parts.createdS * 1_000,
    request: request.repeated,
    hasInstructions: request.instructions !== null,
  }
  const { owner } = call.principal
  const stored = { ...post, isNew: afterSeq === null, owner, response }
  const streams = post.isStream ? [post.turnId] : []
  return call.app.system.actor(conversation, id).ask('post', stored, { deadlineMs: Number.POSITIVE_INFINITY, streams })
}

async function complete(job: Job): Promise<Answer> {
  const outcome = await ask(job).catch((error: unknown) => {
    throw chatError(error)
  })
  const { model, finishReason, message, logprobs, others, usage, extra } = endedAnswer(outcome)
  const incomplete = incompleteReason(finishReason)
  const status = incomplete === null ? 'completed' : 'incomplete'
  const output = outputOf(job.form, message, { logprobs, status, others })
  const completedS = incomplete === null ? nowS(job) : undefined
  const state = { status, output, usage, incomplete, extra, ...(completedS !== undefined && { completedS }) } as const
  return reply(200, responseObject({ ...job.parts, model }, state))
}

function endedAnswer({ model, choices, finishReason, usage, extra }: CompletedTurn): EndedAnswer {
  const [choice] = choices
  const { message = {} } = choice ?? {}
  return { model, finishReason, message, logprobs: choice?.['logprobs'], others: otherItems(choice), usage, extra }
}

const nowS = ({ call }: Job): number => Math.floor(call.app.clock.now() / 1_000)

/**
 * The status is sent with the first delta, or after 15 s of silence. A failure before that is an ordinary error with its
 * own status; a later one is an event of the stream. One in the background is answered as soon as it is stored.
 */
async function stream(job: Job): Promise<Answer> {
  const { call, id, request, post } = job
  const { system, clock, liveResponses } = call.app
  const live = new LiveResponse(new ResponseEvents(job.parts, job.form), {
    clock,
    isKept: request.isStored,
    isExpected: request.isStream,
  })
  live.subscribed(system.streams.subscribe(post.turnId, live))
  if (request.isStored) liveResponses.begin(id, live)
  const asked = ask(job)
  const finished = finish(job, live, asked).finally(() => {
    if (request.isStored) liveResponses.ended(id)
  })
  try {
    await Promise.race([request.isBackground ? live.accepted : live.opened, asked])
  } catch (error) {
    await finished
    liveResponses.forget(id)
    throw chatError(error)
  }
  if (!request.isStream) return reply(200, responseObject(job.parts, { status: 'queued' }))
  if (call.signal.aborted) live.unexpected()
  // It ends with the last event that the reader has room for, which may be later than the turn.
  return eventStream({}, (out) => live.follow(out, -1))
}

/** Never rejects: what went wrong is the last event. */
async function finish(job: Job, live: LiveResponse, asked: Promise<CompletedTurn>): Promise<void> {
  try {
    const outcome = await asked
    await live.ended
    live.finish((events) => events.ended(endedAnswer(outcome), nowS(job)))
  } catch (thrown) {
    live.finish((events) => failureEvent(job, events, thrown))
  }
}

function failureEvent({ call, request }: Job, events: ResponseEvents, thrown: unknown): string {
  // Nobody reads it.
  if (!request.isStored && call.signal.aborted) return ''
  if (thrown instanceof TurnFailed && thrown.code === 'cancelled') return events.last({ status: 'cancelled' })
  const error = chatError(thrown)
  if (error instanceof ApiError) return events.failed({ code: error.named?.code ?? error.code, message: error.message })
  const code = `SVC-${uuidOf(newTurnId()).slice(-8).toUpperCase()}`
  call.app.log.error({ err: thrown, requestId: call.requestId, code }, 'defect in a response')
  return events.error(code, 'The service failed. Its log has this code.')
}
