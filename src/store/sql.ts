/** The one way our queries reach postgres.js: tagged templates, bounded in time, with errors a caller can act on. */
import type { Sql as Driver, TransactionSql } from 'postgres'
import type { Deadline, Deadlines } from '../runtime/actor/deadlines.ts'
import { DatabaseDown, storeError } from './errors.ts'

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
function bound(driver: Driver | TransactionSql, value: Bindable): never {
  if (Array.isArray(value)) {
    const sample = value.find((item) => item !== null)
    if (typeof sample === 'boolean') return driver.typed(value, booleanArrayOid) as never
    if (sample instanceof Date) return driver.typed(value, timestampArrayOid) as never
  }
  return value as never
}

/** A query that has had no answer for this long is given up: the connection hangs. Statements have limits of their own. */
const answerMs = 40_000

export function boundedQuery(driver: Driver | TransactionSql, deadlines: Deadlines): Query {
  return <Row extends object>(text: TemplateStringsArray, ...values: Bindable[]) =>
    new Promise<Row[]>((resolve, reject) => {
      const deadline: Deadline = {
        expire: () => reject(new DatabaseDown(`no answer within ${answerMs} ms`)),
      }
      deadlines.add(deadline, answerMs)
      driver<Row[]>(text, ...values.map((value) => bound(driver, value))).then(
        (rows) => {
          deadlines.remove(deadline)
          resolve(rows)
        },
        (error: unknown) => {
          deadlines.remove(deadline)
          reject(storeError(error))
        },
      )
    })
}
