import { expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../http/routes.ts'

interface Shape {
  additionalProperties?: unknown
  anyOf?: Shape[]
}

const shapeOf = (body: z.ZodType): Shape => z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Shape

const isStrict = ({ additionalProperties, anyOf }: Shape): boolean =>
  anyOf?.every(isStrict) ?? additionalProperties === false

test('the admin API refuses fields that it does not know: a misspelt bound would be none', () => {
  const bodies = routes.flatMap(({ method, path, body }) =>
    path.startsWith('/v1/admin/') && body ? [{ name: `${method} ${path}`, isStrict: isStrict(shapeOf(body)) }] : [],
  )
  expect(bodies.length).toBeGreaterThan(60)
  expect(bodies.filter((body) => !body.isStrict)).toEqual([])
})
