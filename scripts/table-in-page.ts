/** A table that a script writes into a page of docs/, between two marks; the rest of the page is written by hand. */

const begin = '<!-- Begin of the table: a script writes it. -->'
const end = '<!-- End of the table. -->'

/** @param page with a table of any age between the marks @throws Error for a page without them */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error('the page has lost the marks around its table')
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`
}

/** In columns of one width, as the formatter writes them. */
export function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heading.map((name, at) => Math.max(3, name.length, ...rows.map((cells) => cells[at]?.length ?? 0)))
  const lineOf = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  return [lineOf(heading), lineOf(widths.map((width) => '-'.repeat(width))), ...rows.map(lineOf)].join('\n')
}
