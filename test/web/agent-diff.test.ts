/** The diff of two versions of an agent, and the conversion between its definition and its form. */
import { expect, test } from 'vitest'
import { diffAgents } from '../../web/pages/agent/diff.ts'
import { definitionOf, draftOf, emptyDraft, isSame } from '../../web/pages/agent/draft.ts'
import { changedWords, diffLines, folded } from '../../web/parts/line-diff.ts'

const joined = (before: string, after: string) => diffLines(before, after).map(({ is, text }) => `${is}:${text}`)

test('an inserted line is added, and a deleted one is removed', () => {
  expect(joined('one\ntwo\nthree', 'one\nnew\ntwo')).toEqual(['same:one', 'added:new', 'same:two', 'removed:three'])
  expect(joined('same', 'same')).toEqual(['same:same'])
})

test('of any two texts, the lines that are not added are the first, and those that are not removed the second', () => {
  let seed = 7
  const next = (max: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % max
  }
  for (let round = 0; round < 200; round++) {
    const [before, after] = [next(12), next(12)].map((count) =>
      Array.from({ length: count + 1 }, () => 'abc'[next(3)]).join('\n'),
    )
    const lines = diffLines(before ?? '', after ?? '')
    const without = (is: string) =>
      lines
        .filter((line) => line.is !== is)
        .map(({ text }) => text)
        .join('\n')
    expect([without('added'), without('removed')]).toEqual([before, after])
  }
})

test('texts too long for a comparison by line are shown whole, without delay', () => {
  const long = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join('\n')
  const lines = diffLines(long('old'), long('added'))
  expect(lines).toHaveLength(40_000)
})

test('only changed fields are listed; a list is compared by line', () => {
  const definition = { model: 'm', instructions: 'Be brief.', persona: '', approval_tools: ['a'], sub_agents: [] }
  const after = { ...definition, approval_tools: ['a', 'b'], temperature: 0.3 }
  expect(diffAgents({ name: 'one', definition }, { name: 'one', definition: after })).toEqual([
    { field: 'temperature', lines: [{ is: 'added', text: '0.3' }] },
    {
      field: 'approval_tools',
      lines: [
        { is: 'same', text: 'a' },
        { is: 'added', text: 'b' },
      ],
    },
  ])
  const limited = { ...definition, tools: ['web_*', 'calculator'] }
  expect(diffAgents({ name: 'one', definition: limited }, { name: 'one', definition })).toEqual([
    {
      field: 'tools',
      lines: [
        { is: 'removed', text: 'web_*' },
        { is: 'removed', text: 'calculator' },
        { is: 'added', text: '*' },
      ],
    },
  ])
})

test('no tools at all are not the same as all tools', () => {
  const one = { name: 'one', definition: definitionOf({ ...emptyDraft, isLimited: true }) }
  const other = { name: 'one', definition: definitionOf(emptyDraft) }
  expect(one.definition.tools).toEqual([])
  expect(other.definition).not.toHaveProperty('tools')
  expect(diffAgents(one, other)).toHaveLength(1)
  expect(isSame({ ...emptyDraft, isLimited: true }, emptyDraft)).toBe(false)
})

test('reading a definition into the form and writing it back changes nothing', () => {
  const definition = {
    model: 'm',
    instructions: 'i',
    persona: 'p',
    temperature: 0,
    tools: ['web_*'],
    approval_tools: ['shell'],
    sub_agents: ['billing'],
    context_tokens: 500,
    reasoning_effort: 'low' as const,
  }
  expect(definitionOf(draftOf({ name: 'one', definition }))).toEqual(definition)
})

test('lines far from any change are folded, with their number', () => {
  const lines = diffLines('1\n2\n3\n4\n5\n6\n7\n8', '1\n2\n3\n4\n5\n6\n7\nnew')
  expect(folded(lines, 2)[0]).toEqual({ is: 'folded', count: 5 })
})

test('within a changed line the words that only it has are marked', () => {
  expect(changedWords('Be brief and friendly.', 'Be exact and friendly.')).toEqual([
    { text: 'Be ', isChanged: false },
    { text: 'brief', isChanged: true },
    { text: ' and friendly.', isChanged: false },
  ])
})
