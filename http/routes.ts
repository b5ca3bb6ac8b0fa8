/** The routes that are served: those of the table, and the OpenAPI document. */
import { openApi } from './openapi/route.ts'
import type { Route } from './route.ts'
import * as table from './route-table.ts'

const order = ({ path, method }: Route): string => `${path} ${method}`

/** In the order of their paths, which is the order of the document. */
export const routes: readonly Route[] = [...Object.values(table), openApi(() => routes)].sort((one, other) =>
  order(one) < order(other) ? -1 : 1,
)
