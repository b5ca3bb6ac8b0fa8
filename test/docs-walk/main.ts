/**
 * `npm run long -- docs [page …]`: every command of README and docs, page by page and in order, each page against a fresh
 * start of the service. Ends with the numbers of pages, commands, those that ran, and exceptions; exit code 1 if one failed.
 */
import { freePort } from '../../bench/process/free-port.ts'
import { meantToFail, notRun, typed, withModel } from './exceptions.ts'
import { scriptedModel } from './model.ts'
import { type Block, blocksOf, commandsOf, isShell, type Page, pages } from './pages.ts'
import { openReader, type Ports, type Reader } from './reader.ts'

const counts = { pages: 0, commands: 0, ran: 0, exceptions: 0, failed: 0 }
const used = new Set<object>()

function exceptionOf<Exception extends { page: string; command: string }>(
  exceptions: readonly Exception[],
  page: string,
  command: string,
): Exception | undefined {
  const found = exceptions.find((each) => each.page === page && command.includes(each.command))
  if (found) used.add(found)
  return found
}

/** The name under which the page has its reader save this block. */
function fileOf({ language, introduction }: Block): string | undefined {
  return language === 'js' ? /`([\w-]+\.mjs)`/.exec(introduction)?.[1] : undefined
}

async function walkCommand(page: Page, at: string, { command, reader }: { command: string; reader: Reader }) {
  counts.commands++
  const line = command.split('\n')[0]
  const skipped = exceptionOf(notRun, page.name, command)
  if (skipped) {
    counts.exceptions++
    console.log(`  not run   ${at}  ${line}  (${skipped.reason})`)
    return
  }
  if (!reader.isOpen()) {
    counts.failed++
    console.log(`  FAILED    ${at}  ${line}  (not reached)`)
    return
  }
  const input = exceptionOf(typed, page.name, command)?.input
  const { problem, output } = await reader.run(command, input)
  const failing = exceptionOf(meantToFail, page.name, command)
  counts.ran++
  if (failing) counts.exceptions++
  if ((problem === undefined) === (failing === undefined)) {
    if (failing) console.log(`  as meant  ${at}  ${line}  (${problem}: ${failing.reason})`)
    return
  }
  counts.failed++
  console.log(
    `  FAILED    ${at}  ${problem ?? 'it was meant to fail'}\n${indented(command)}\n${indented(output.slice(-1_500))}`,
  )
}

const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, '      | ')

async function walk(page: Page, ports: Ports): Promise<void> {
  const blocks = blocksOf(page).filter((block) => isShell(block) || fileOf(block))
  const commands = blocks.filter(isShell).flatMap((block) => commandsOf(block))
  if (commands.length === 0) return
  counts.pages++
  const startedMs = Date.now()
  const reader = await openReader(
    ports,
    withModel.includes(page.name) ? { SERVICE_LLM_GATEWAY_URL: model.url, SERVICE_LLM_MODEL: 'llama3.2' } : {},
  )
  try {
    const startsItself = /\bnpm start\b/.test(commands[0] ?? '')
    const needsService = commands.some((command) => !exceptionOf(notRun, page.name, command))
    if (!startsItself && needsService) {
      const { problem, output } = await reader.run('npm start')
      if (problem) throw new Error(`${page.name}: ${problem}\n${output}`)
    }
    for (const block of blocks) {
      const file = fileOf(block)
      if (file) reader.save(file, block.text)
      for (const command of file ? [] : commandsOf(block)) await walkCommand(page, block.at, { command, reader })
    }
  } finally {
    await reader.close()
  }
  console.log(`${page.name}: ${commands.length} commands, ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`)
}

const chosen = process.argv.slice(2)
const model = await scriptedModel()
const waiting = pages().filter(({ name }) => chosen.length === 0 || chosen.includes(name))

/** One page after the other, until none waits. */
async function walkPages(): Promise<void> {
  for (let page = waiting.shift(); page; page = waiting.shift()) {
    const [gateway, webUi, receiver] = [await freePort(), await freePort(), await freePort()]
    await walk(
      page,
      new Map([
        [8780, gateway],
        [8781, webUi],
        [9000, receiver],
        [11434, model.port],
      ]),
    )
  }
}

try {
  // Half of a page's time is waiting for processes that start.
  await Promise.all([walkPages(), walkPages()])
} finally {
  await model.close()
}
const unused = [...notRun, ...meantToFail, ...typed].filter((each) => chosen.length === 0 && !used.has(each))
for (const { page, command } of unused) console.log(`FAILED    the exception is for no command: ${page}: ${command}`)
console.log(
  `${counts.pages} pages, ${counts.commands} commands, ${counts.ran} run, ${counts.exceptions} exceptions, ${counts.failed} failed`,
)
process.exitCode = counts.failed + unused.length > 0 || counts.ran === 0 ? 1 : 0
