/** The routes that the gateway answers. */
import { openApi } from './openapi/route.ts'
import type { Route } from './route.ts'
import * as table from './route-table.ts'
import { switchedOff } from './system/switched-off.ts'

const order = ({ path, method }: Route): string => `${path} ${method}`
const inOrder = (routes: readonly Route[]): Route[] =>
  routes.toSorted((one, other) => (order(one) < order(other) ? -1 : 1))

/** What the OpenAPI document describes, in the order of their paths. */
export const served: readonly Route[] = inOrder([...Object.values(table), openApi(() => served)])

export const routes: readonly Route[] = [...served, ...switchedOff]
