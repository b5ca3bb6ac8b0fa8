/** The only way for our statements to postgres.js: tagged templates, bounded in number and time, with typed errors. */
import type { Sql as Driver } from 'postgres'
import type { Deadlines } from '../../runtime/actor/deadlines.ts'
import { sendInTime, waitMs } from './send.ts'
import { type Bindable, Fragment, sql } from './sql.ts'
import { type WaitingRoom, waitingRoom } from './waiting-room.ts'

/** Runs the template as one statement. Fragments become part of it; other values are bound as parameters. */
export type Query = <Row extends object>(
  text: TemplateStringsArray,
  ...values: (Bindable | Fragment)[]
) => Promise<Row[]>

const booleanArrayOid = 1000
const timestampArrayOid = 1185

/**
 * The driver (3.4.9) infers the type of an array from its first element. For booleans and dates the array type has to be
 * stated, or PostgreSQL answers "cannot cast type boolean to boolean[]".
 */
function bound(driver: Driver, value: Bindable): never {
  if (Array.isArray(value)) {
    const sample = value.find((item) => item !== null)
    if (typeof sample === 'boolean') return driver.typed(value, booleanArrayOid) as never
    if (sample instanceof Date) return driver.typed(value, timestampArrayOid) as never
  }
  return value as never
}

const waitingMax = 1_000

/** Statements sent over one connection before the first is answered: this hides the round trip to the server. */
const pipelineDepth = 8

export function timedQuery(driver: Driver, deadlines: Deadlines, sendWithinMs = waitMs): Query {
  return <Row extends object>(...statement: Parameters<Query>) => {
    const { text, values } = flattened(...statement)
    return sendInTime(
      () => driver<Row[]>(text, ...values.map((value) => bound(driver, value))),
      deadlines,
      sendWithinMs,
    )
  }
}

function flattened(...[text, ...values]: Parameters<Query>): { text: TemplateStringsArray; values: Bindable[] } {
  if (values.every(isBindable)) return { text, values }
  const { texts, values: bindables } = sql(text, ...values)
  return { text: templateOf(texts), values: bindables }
}

/** By text: as many as the code has statements, since values are bound. */
const templates = new Map<string, TemplateStringsArray>()

/** The driver keeps every template that it has seen, and the values of its first statement: the same text is the same template. */
function templateOf(texts: readonly string[]): TemplateStringsArray {
  const key = texts.join('\0')
  let template = templates.get(key)
  if (!template) {
    template = Object.assign([...texts], { raw: texts })
    templates.set(key, template)
  }
  return template
}

function isBindable(value: Bindable | Fragment): value is Bindable {
  return !(value instanceof Fragment)
}

/** Bounds the statements in the driver: its own queue is unbounded, and nothing can be removed from it. */
export function queryRoom(connectionsMax: number, deadlines: Deadlines): WaitingRoom<number> {
  const places = Array.from({ length: connectionsMax * pipelineDepth }, (_, place) => place)
  return waitingRoom(places, { waitMs, waitingMax }, deadlines)
}

export function boundedQuery(driver: Driver, room: WaitingRoom<number>, deadlines: Deadlines): Query {
  const query = timedQuery(driver, deadlines)
  return async <Row extends object>(...statement: Parameters<Query>) => {
    const place = await room.enter()
    try {
      return await query<Row>(...statement)
    } finally {
      room.leave(place)
    }
  }
}
