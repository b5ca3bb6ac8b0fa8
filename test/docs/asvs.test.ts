/** The table of the ASVS has every requirement once, names files that are there, and counts what it says. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFolder } from '../../runtime/package.ts'

const textOf = (page: string) => readFileSync(join(packageFolder, page), 'utf8')
const pages = ['docs/asvs.md', 'docs/security.md'].map((page) => ({ page, text: textOf(page) }))

/** The requirements of the levels 1 and 2 in version 5.0.0: chapter, section, from, to. */
const levels12 = `1.1.1-2 1.2.1-9 1.3.1-11 1.4.1-3 1.5.1-2 2.1.1-3 2.2.1-3 2.3.1-4 2.4.1 3.2.1-2 3.3.1-4 3.4.1-6 3.5.1-5
3.7.1-2 4.1.1-3 4.2.1 4.3.1-2 4.4.1-4 5.1.1 5.2.1-3 5.3.1-2 5.4.1-3 6.1.1-3 6.2.1-12 6.3.1-4 6.4.1-4 6.5.1-5 6.6.1-3
6.8.1-4 7.1.1-3 7.2.1-4 7.3.1-2 7.4.1-5 7.5.1-2 7.6.1-2 8.1.1-2 8.2.1-3 8.3.1 8.4.1 9.1.1-3 9.2.1-4 10.1.1-2 10.2.1-2
10.3.1-4 10.4.1-11 10.5.1-5 10.6.1-2 10.7.1-3 11.1.1-2 11.2.1-3 11.3.1-3 11.4.1-4 11.5.1 11.6.1 12.1.1-3 12.2.1-2
12.3.1-4 13.1.1 13.2.1-5 13.3.1-2 13.4.1-5 14.1.1-2 14.2.1-4 14.3.1-3 15.1.1-3 15.2.1-3 15.3.1-7 16.1.1 16.2.1-5
16.3.1-4 16.4.1-3 16.5.1-3 17.1.1 17.2.1-4 17.3.1-2`
  .split(/\s+/)
  .flatMap((range) => {
    const [, section = '', from = '', to = from] = /^(\d+\.\d+)\.(\d+)(?:-(\d+))?$/.exec(range) ?? []
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `V${section}.${Number(from) + at}`)
  })

interface Row {
  requirements: string[]
  state: string
  where: string
  tests: string
}

const rows: Row[] = [...textOf('docs/asvs.md').matchAll(/^\| (V\d.*?) \|(.*?)\|(.*)\|(.*?)\|$/gm)].map(
  ([, numbers = '', state = '', where = '', tests = '']) => ({
    requirements: numbers.trim().split(', '),
    state: state.trim(),
    where: where.trim(),
    tests: tests.trim(),
  }),
)

/** In backticks, with a folder and an extension. */
const filesIn = (text: string) =>
  [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|yaml|service|md))`/g)].map((it) => it[1] ?? '')

test('every requirement of the levels 1 and 2 stands in the table once, and no other', () => {
  expect(levels12).toHaveLength(253)
  expect(rows.flatMap(({ requirements }) => requirements).sort()).toEqual([...levels12].sort())
})

test('every row says whether it holds, why, and which test says so, or that it was read', () => {
  for (const { requirements, state, where, tests } of rows) {
    expect(state, requirements[0]).toMatch(/^(yes|partly|gap|none)$/)
    expect(where, requirements[0]).not.toBe('')
    const rest = tests.split(', ').filter((each) => !/^`test\/[\w./-]+\.ts`$/.test(each))
    expect(rest.join(), requirements[0]).toMatch(/^(read)?$/)
  }
})

test('the sentence above the table counts its rows', () => {
  const count = (state: string) => rows.filter((row) => row.state === state).flatMap((row) => row.requirements).length
  expect(textOf('docs/asvs.md')).toContain(
    `Of the ${levels12.length} requirements ${count('yes')} hold, ${count('partly')} hold in part, ` +
      `${count('gap')} do not hold, and ${count('none')} do not apply.`,
  )
})

test.each(pages)('the files that $page names are there', ({ text }) => {
  const files = filesIn(text)
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => !existsSync(join(packageFolder, file)))).toEqual([])
})

test.each(pages)('the places that $page links to are there', ({ page, text }) => {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
  expect(links.length).toBeGreaterThan(5)
  for (const [, path = '', anchor] of links) {
    const target = path === '' ? page : join(dirname(page), path)
    expect(existsSync(join(packageFolder, target)), target).toBe(true)
    if (anchor !== undefined) expect(anchorsOf(textOf(target)), `${target}#${anchor}`).toContain(anchor)
  }
})

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )
}
