/** `service prices list|set|remove|import|export`: what models cost, from the command line. */
import type { Command } from 'commander'
import { exportedPrice, NewPriceBody, newPrice, PricesBody } from '../http/admin/usage/price-body.ts'
import { commandName } from '../runtime/command-name.ts'
import { type UsageUnit, usageUnits } from '../store/usage/entry.ts'
import { addPrices, readPrices, removePrice } from '../store/usage/prices.ts'
import { atCommandLine, workspaceOf } from './acting.ts'
import { type CommandStore, withStore } from './connect.ts'
import { parsed, typedJson } from './json-input.ts'
import { CommandFailed, print, printTable, run } from './output.ts'

interface SetOptions {
  endpoint: string
  currency: string
  from?: string
  until?: string
  price: string[]
}

/** As many prices as there may be, each with all its units. */
const inputBytesMax = 4_194_304

export function registerPrices(program: Command): void {
  const prices = program.command('prices').description('what models cost, for the whole installation')
  prices
    .command('list')
    .description('list the prices, in millionths of the currency for a million units')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => run(() => withStore((store) => list(store, options))))
  prices
    .command('set <model>')
    .description('add a price of a model, which counts from a time on')
    .requiredOption('--currency <code>', 'such as USD; all prices are of one')
    .requiredOption(
      '--price <unit=number...>',
      `such as token_in=2500000 for 2.50 a million; units: ${usageUnits.join(', ')}`,
    )
    .option('--endpoint <name>', 'only at this model endpoint; default: at any', '')
    .option('--from <time>', 'default: now')
    .option('--until <time>', 'default: until the next price of the model begins')
    .action((model: string, options: SetOptions) => run(() => withStore((store) => set(store, model, options))))
  prices
    .command('remove <id>')
    .description('remove a price; what was counted with it stays')
    .action((id: string) => run(() => withStore((store) => remove(store, id))))
  prices
    .command('export')
    .description('print all prices as JSON that import takes')
    .action(() => run(() => withStore(exportAll)))
  prices
    .command('import [file]')
    .description('add prices from JSON, all or none; from standard input without a file')
    .option('--replace', 'all other prices go')
    .action((file: string | undefined, options: { replace?: boolean }) =>
      run(() => withStore((store) => importAll(store, file, options.replace ?? false))),
    )
}

async function list({ db }: CommandStore, { json }: { json?: boolean }): Promise<void> {
  const prices = await readPrices(db)
  if (json)
    return print(
      JSON.stringify(
        prices.map((price) => ({ id: price.id, ...exportedPrice(price) })),
        null,
        2,
      ),
    )
  printTable([
    ['id', 'model', 'endpoint', 'currency', 'from', 'until', 'prices'],
    ...prices.map(({ id, model, endpoint, currency, fromAt, untilAt, units }) => [
      ...[String(id), model, endpoint || '-', currency, fromAt.toISOString(), untilAt?.toISOString() ?? '-'],
      Object.entries(units)
        .map(([unit, price]) => `${unit}=${price}`)
        .join(' '),
    ]),
  ])
}

async function set(store: CommandStore, model: string, options: SetOptions): Promise<void> {
  const from = options.from === undefined ? new Date() : timeOf('--from', options.from)
  const until = options.until === undefined ? null : timeOf('--until', options.until)
  const price = parsed(NewPriceBody, {
    ...{ model, endpoint: options.endpoint, currency: options.currency, units: unitsOf(options.price) },
    ...{ from: from.toISOString(), until: until?.toISOString() ?? null },
  })
  const { db } = store
  await addPrices(db, [newPrice(price, '--until')], { actor: await actorOf(store), replaces: false })
  print(`the price of ${price.model} counts from ${from.toISOString()}`)
}

async function remove(store: CommandStore, id: string): Promise<void> {
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw new CommandFailed(`the id of a price is a number: see ${commandName()} prices list`)
  if (!(await removePrice(store.db, Number(id), await actorOf(store))))
    throw new CommandFailed(`there is no price ${id}`)
  print(`price ${id} is removed`)
}

async function exportAll({ db }: CommandStore): Promise<void> {
  print(JSON.stringify({ prices: (await readPrices(db)).map(exportedPrice) }, null, 2))
}

async function importAll(store: CommandStore, file: string | undefined, replaces: boolean): Promise<void> {
  const { prices } = parsed(PricesBody, await typedJson(file, inputBytesMax))
  const added = prices.map((price, at) => newPrice(price, `prices.${at}.until`))
  await addPrices(store.db, added, { actor: await actorOf(store), replaces })
  print(`${added.length} prices are added`)
}

const actorOf = async (store: CommandStore) => atCommandLine(await workspaceOf(store, undefined))

function unitsOf(options: readonly string[]): Partial<Record<UsageUnit, number>> {
  return Object.fromEntries(
    options.map((option) => {
      const [unit = '', number = ''] = option.split('=', 2)
      if (!(usageUnits as readonly string[]).includes(unit) || !/^\d+$/.test(number))
        throw new CommandFailed(`--price takes a unit and a whole number, such as token_in=2500000, not ${option}`)
      return [unit, Number(number)]
    }),
  )
}

function timeOf(name: string, text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new CommandFailed(`${name} takes a time such as 2027-01-31T12:00:00Z`)
  return date
}
