/** A route is data with its handler last: the OpenAPI document is made of its schemas, access and answers. */
import type { z } from 'zod'
import type { Access, OperatorPrincipal, OwnAccess, Principal, SignedAccess, StrangerAccess } from './access.ts'
import type { Answer } from './answer.ts'
import type { BodyKind } from './body-kinds.ts'
import type { Call } from './call.ts'
import type { ErrorFace } from './error-face.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The caller, as a handler of a route with this access sees it. */
type CallerOf<Allowed extends Access> = Allowed extends StrangerAccess
  ? undefined
  : Allowed extends OwnAccess
    ? OperatorPrincipal
    : Allowed extends SignedAccess
      ? Principal | undefined
      : Principal

type Shape = z.ZodType | undefined
type Parsed<Schema extends Shape> = Schema extends z.ZodType ? z.infer<Schema> : undefined

/** An answer: its schema, or a description when it is not JSON; without a type it has no body. */
export type AnswerSchema = z.ZodType | { contentType?: string; description: string }

/** What lets somebody in. Which bounds it has is decided in `auth/issue.ts`. */
export type IssuedKind =
  | 'key'
  | 'personal key'
  | 'fixed key'
  | 'ticket'
  | 'session'
  | 'operator'
  | 'one-time link'
  | 'password'
  | 'factor'

interface RouteDeclaration {
  readonly method: Method
  /** `/v1/things/:id`; a parameter is one whole segment, one with an asterisk (`:name*`) all that are left. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  /** Headers that `call.header()` can read, in lower case; no others are copied. */
  readonly headers?: readonly string[]
  readonly bodyBytesMax?: number
  /** By default JSON. */
  readonly bodyKind?: BodyKind
  /** Of a raw or streamed body: the types that are taken, such as `application/cbor`; absent: any. */
  readonly bodyTypes?: readonly string[]
  /** How its failures look; by default as the envelope. */
  readonly errorFace?: ErrorFace
  /** Also accepts lines of JSON: the handler then gets `JsonLines`. */
  readonly takesLines?: boolean
  /** The documented body, where `body` accepts more because the handler validates it item by item. */
  readonly bodyInOpenApi?: z.ZodType
  /** Instead of SERVICE_REQUEST_DEADLINE_S. */
  readonly deadlineMs?: number
  /** Answered also while the server drains, as probes need it. */
  readonly isAnsweredWhileDraining?: boolean
  /** What it makes that lets somebody in. */
  readonly issues?: IssuedKind
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
