/** A route is data with its handler last: schema, credential and answers in one place, which the OpenAPI page is made of. */
import type { z } from 'zod'
import type { Access, InboundAccess, OpenAccess, OperatorPrincipal, OwnAccess, Principal } from './access.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The caller, as a handler of a route with this access sees it. */
type CallerOf<Allowed extends Access> = Allowed extends OpenAccess | InboundAccess
  ? undefined
  : Allowed extends OwnAccess
    ? OperatorPrincipal
    : Principal

type Shape = z.ZodType | undefined
type Parsed<Schema extends Shape> = Schema extends z.ZodType ? z.infer<Schema> : undefined

/** An answer in the table: its schema, or what it is when it is not JSON. */
export type AnswerSchema = z.ZodType | { contentType: string; description: string }

interface RouteDeclaration {
  readonly method: Method
  /** `/v1/things/:id`; a parameter is one whole segment. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  /** Headers that `call.header()` can read, in lower case: whatever is not named here is never copied. */
  readonly headers?: readonly string[]
  readonly bodyBytesMax?: number
  /** Takes lines of JSON too: the handler then gets `JsonLines`. */
  readonly takesLines?: boolean
  /** Where `body` lets more through than is documented, because the handler judges it piece by piece. */
  readonly bodyInOpenApi?: z.ZodType
  /** Instead of SERVICE_REQUEST_DEADLINE_S. */
  readonly deadlineMs?: number
  /** Answered while the server drains, as probes need it. */
  readonly isAnsweredWhileDraining?: boolean
  readonly answers: Readonly<Record<number, AnswerSchema>>
}

export interface RouteDefinition<Allowed extends Access, Body extends Shape, Query extends Shape, Params extends Shape>
  extends RouteDeclaration {
  readonly access: Allowed
  readonly body?: Body
  readonly query?: Query
  readonly params?: Params
  handle(call: Call<Parsed<Body>, Parsed<Query>, Parsed<Params>, CallerOf<Allowed>>): Answer | Promise<Answer>
}

/** Any route, as the edge sees it. */
export interface Route extends RouteDeclaration {
  readonly access: Access
  readonly body?: z.ZodType | undefined
  readonly query?: z.ZodType | undefined
  readonly params?: z.ZodType | undefined
  // A method, so that a handler of a narrower call is still a route.
  handle(call: Call<never, never, never, never>): Answer | Promise<Answer>
}

export function route<
  Allowed extends Access,
  Body extends Shape = undefined,
  Query extends Shape = undefined,
  Params extends Shape = undefined,
>(definition: RouteDefinition<Allowed, Body, Query, Params>): Route {
  return definition
}
