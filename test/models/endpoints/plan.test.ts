/** Which endpoints a call is offered to, in which order, and under which model. */
import { expect, test } from 'vitest'
import type { OpenEndpoint } from '../../../models/endpoints/named-endpoint.ts'
import { endpointsAskedMax, fallbacksIn, planOf } from '../../../models/endpoints/plan.ts'
import { unconfiguredTransport } from '../../../models/unconfigured.ts'

const endpoint = (name: string, ...models: string[]): OpenEndpoint => ({
  name,
  models,
  transport: unconfiguredTransport(name, 'nothing'),
})

const all = [
  endpoint('default', 'own'),
  endpoint('fast', 'small', 'shared'),
  endpoint('far', 'large', 'shared'),
  endpoint('any'),
]

const places = (
  model: string,
  {
    routedModel,
    fallbacks = '',
    endpoints = all,
  }: {
    routedModel?: string
    fallbacks?: string
    endpoints?: OpenEndpoint[]
  } = {},
) =>
  planOf({ model, ...(routedModel !== undefined && { routedModel }) }, endpoints, fallbacksIn(fallbacks)).map(
    ({ endpoint: { name }, model: sent }) => `${name}:${sent}`,
  )

test.each([
  ['small', undefined, ['fast:small']],
  ['shared', undefined, ['fast:shared', 'far:shared']],
  ['own', undefined, ['default:own']],
  // Nobody lists it: the first endpoint answers with its own model.
  ['unknown', undefined, ['default:own']],
  ['', undefined, ['default:own']],
  // An agent or the router has chosen.
  ['unknown', 'large', ['far:large']],
  ['small', 'large', ['far:large']],
  ['small', '', ['fast:small']],
  ['small', 'nobody-lists-it', ['default:nobody-lists-it']],
])('%o with the choice %o goes to %o', (model, routedModel, expected) => {
  expect(places(model, routedModel === undefined ? {} : { routedModel })).toEqual(expected)
})

test('an endpoint that lists nothing is sent the name as it is', () => {
  expect(places('whatever', { endpoints: [endpoint('default'), endpoint('fast', 'small')] })).toEqual([
    'default:whatever',
  ])
})

test.each([
  // The model that was asked for where the endpoint lists it, else its first; one that lists none takes any.
  ['shared', 'default, any', ['fast:shared', 'far:shared', 'default:own', 'any:shared']],
  ['small', 'far', ['fast:small', 'far:large']],
  ['small', 'far/vendor/model:free', ['fast:small', 'far:vendor/model:free']],
  ['small', 'far/shared,far/large', ['fast:small', 'far:shared', 'far:large']],
  // Once each, and never one that is unknown.
  ['small', 'fast,fast/small,gone,gone/x,,far,far', ['fast:small', 'far:large']],
  // The same endpoint with another model.
  ['small', 'fast/shared', ['fast:small', 'fast:shared']],
])('%o falls back by %o to %o', (model, fallbacks, expected) => {
  expect(places(model, { fallbacks })).toEqual(expected)
})

test('a call is offered to eight endpoints at most', () => {
  const many = Array.from({ length: 20 }, (_, at) => endpoint(`e${at}`, 'm'))
  expect(places('m', { endpoints: many })).toHaveLength(endpointsAskedMax)
})
