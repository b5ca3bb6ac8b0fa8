/** Names for parts of the operations, for code that handles data and calls nothing. */
import type { Operations } from './operations.ts'

export type OperationName = keyof Operations
export type Answer<Name extends OperationName> = Operations[Name]['answer']
export type Body<Name extends OperationName> = Operations[Name]['body']

export type ChannelAdapter = Answer<'GET /v1/admin/channel-adapters'>['items'][number]
