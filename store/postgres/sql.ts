/** The one way our queries reach postgres.js: tagged templates, bounded in number and in time, with errors a caller can act on. */
import type { Sql as Driver } from 'postgres'
import type { Deadlines } from '../../runtime/actor/deadlines.ts'
import { sendInTime, waitMs } from './send.ts'
import { type WaitingRoom, waitingRoom } from './waiting-room.ts'

/** A value that a query may bind. Arrays need a cast in the SQL (`${ids}::uuid[]`). */
export type Bindable = string | number | boolean | bigint | Date | Buffer | null | readonly Bindable[]

/** Binds what stands in the template as parameters. */
export type Query = <Row extends object>(text: TemplateStringsArray, ...values: Bindable[]) => Promise<Row[]>

const booleanArrayOid = 1000
const timestampArrayOid = 1185

/**
 * The driver takes an array for what its first element is: of truth values and dates it must be told that it is an
 * array (seen on 3.4.9: "cannot cast type boolean to boolean[]").
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

/** Queries that a connection gets before one of them is answered: it hides the way to the server and back. */
const pipelineDepth = 8

export function timedQuery(driver: Driver, deadlines: Deadlines, patienceMs = waitMs): Query {
  return <Row extends object>(text: TemplateStringsArray, ...values: Bindable[]) =>
    sendInTime(() => driver<Row[]>(text, ...values.map((value) => bound(driver, value))), deadlines, patienceMs)
}

/** Bounds how many queries the driver holds: its own queue has no end, and nothing can be taken out of it. */
export function queryRoom(connectionsMax: number, deadlines: Deadlines): WaitingRoom<number> {
  const places = Array.from({ length: connectionsMax * pipelineDepth }, (_, place) => place)
  return waitingRoom(places, { waitMs, waitingMax }, deadlines)
}

export function boundedQuery(driver: Driver, room: WaitingRoom<number>, deadlines: Deadlines): Query {
  const query = timedQuery(driver, deadlines)
  return async <Row extends object>(text: TemplateStringsArray, ...values: Bindable[]) => {
    const place = await room.enter()
    try {
      return await query<Row>(text, ...values)
    } finally {
      room.leave(place)
    }
  }
}
