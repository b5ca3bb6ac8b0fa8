/** The admin UI's types of the API are generated from the route table. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiTypes, apiTypesFile } from '../../scripts/api-types.ts'

test('the generated types match the route table; npm run build:api-types writes them', () => {
  expect(readFileSync(apiTypesFile, 'utf8')).toBe(apiTypes())
})
