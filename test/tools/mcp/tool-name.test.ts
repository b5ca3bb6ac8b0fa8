/** Names of servers' tools: fit for every model, one for each tool, and the same tomorrow. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serverLabel, toolName } from '../../../tools/mcp/tool-name.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const nameOf = (server: string, tool: string) => toolName(serverLabel(server), tool)
const name = fc.oneof(fc.string({ minLength: 1, maxLength: 100 }), fc.stringMatching(/^[a_-]{1,80}$/))

test('a plain name stays as it is', () => {
  expect(nameOf('file-server', 'read_file')).toBe('file-server__read_file')
})

test('any two names make a name that every model takes', () => {
  fc.assert(
    fc.property(name, name, (server, tool) => {
      expect(nameOf(server, tool)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    }),
  )
})

test('two tools never share a name, wherever their underscores stand', () => {
  fc.assert(
    fc.property(name, name, name, name, (server, tool, otherServer, otherTool) => {
      fc.pre(server !== otherServer || tool !== otherTool)
      expect(nameOf(server, tool)).not.toBe(nameOf(otherServer, otherTool))
    }),
    { numRuns: propertyRuns(1_000) },
  )
  expect(nameOf('a', 'b__c')).not.toBe(nameOf('a__b', 'c'))
  expect(nameOf('a_', 'b')).not.toBe(nameOf('a', '_b'))
  expect(nameOf('a', 'ä')).not.toBe(nameOf('a', 'ö'))
})

test('a changed name is the same in every version, since agents and approvals name it', () => {
  expect(nameOf('my server', 'read file')).toBe('my_server-b129874b__read_file-1214148e')
})
