/** The admin UI knows the API from the route table alone. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiTypes, apiTypesFile } from '../../scripts/api-types.ts'

test('the types of the admin UI are what the route table says; npm run build:api-types writes them', () => {
  expect(readFileSync(apiTypesFile, 'utf8')).toBe(apiTypes())
})
