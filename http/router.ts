/** Finds the route of a method and path: a map for literal paths, a tree of segments for those with parameters. */
import { Failure } from '../runtime/failure.ts'
import type { Route } from './route.ts'

/** Routes of one path by method, and the Allow header that a 405 carries. */
interface Resource {
  readonly path: string
  readonly methods: ReadonlyMap<string, Route>
  readonly allow: string
}

interface Match {
  resource: Resource
  /** Decoded; undefined where the path has no parameters. */
  params: Record<string, string> | undefined
}

export interface Router {
  find(path: string): Match | undefined
}

interface Branch {
  literal: Map<string, Branch>
  parameter: { name: string; branch: Branch } | undefined
  /** Takes all segments that are left. */
  rest: { name: string; resource: Resource } | undefined
  resource: Resource | undefined
}

const segmentsMax = 32

class RouteRefused extends Failure {
  readonly code = 'route_refused'
}

/** @throws RouteRefused for two routes of one method and path, or two names for one parameter */
export function router(routes: readonly Route[]): Router {
  const literal = new Map<string, Match>()
  const root = newBranch()
  for (const resource of resources(routes)) {
    if (resource.path.includes('/:')) plant(root, resource)
    else literal.set(resource.path, { resource, params: undefined })
  }
  return { find: (path) => literal.get(path) ?? climb(root, path) }
}

function resources(routes: readonly Route[]): Resource[] {
  const byPath = new Map<string, Map<string, Route>>()
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, Route>()
    if (methods.has(route.method)) throw new RouteRefused(`${route.method} ${route.path} is in the table twice`)
    methods.set(route.method, route)
    byPath.set(route.path, methods)
  }
  return Array.from(byPath, ([path, methods]) => {
    const names = [...methods.keys()]
    if (methods.has('GET')) names.push('HEAD')
    return { path, methods, allow: [...names, 'OPTIONS'].join(', ') }
  })
}

const newBranch = (): Branch => ({ literal: new Map(), parameter: undefined, rest: undefined, resource: undefined })

function plant(root: Branch, resource: Resource): void {
  let branch = root
  for (const segment of resource.path.slice(1).split('/')) {
    if (segment.startsWith(':') && segment.endsWith('*')) {
      branch.rest = { name: segment.slice(1, -1), resource }
      return
    }
    const fresh = newBranch()
    if (!segment.startsWith(':')) {
      const next = branch.literal.get(segment) ?? fresh
      branch.literal.set(segment, next)
      branch = next
      continue
    }
    const name = segment.slice(1)
    branch.parameter ??= { name, branch: fresh }
    if (branch.parameter.name !== name) {
      throw new RouteRefused(`${resource.path}: another route calls :${name} :${branch.parameter.name} at this place`)
    }
    branch = branch.parameter.branch
  }
  branch.resource = resource
}

function climb(root: Branch, path: string): Match | undefined {
  const segments = path.split('/', segmentsMax + 1)
  if (segments.length > segmentsMax) return undefined
  let branch: Branch | undefined = root
  const params: Record<string, string> = {}
  for (let index = 1; index < segments.length && branch; index++) {
    const segment = segments[index] ?? ''
    const literal: Branch | undefined = branch.literal.get(segment)
    if (literal) {
      branch = literal
      continue
    }
    if (branch.rest) return restOf(branch.rest, segments.slice(index), params)
    const value: string | undefined = branch.parameter && decodeSegment(segment)
    if (!branch.parameter || !value) return undefined
    params[branch.parameter.name] = value
    branch = branch.parameter.branch
  }
  return branch?.resource && { resource: branch.resource, params }
}

function restOf(
  { name, resource }: { name: string; resource: Resource },
  segments: readonly string[],
  params: Record<string, string>,
): Match | undefined {
  const values = segments.map(decodeSegment)
  return values.every((value) => value) ? { resource, params: { ...params, [name]: values.join('/') } } : undefined
}

/** Undefined for percent signs that do not encode UTF-8: no route has such a path. */
function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
