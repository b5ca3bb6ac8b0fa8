/** The `service` command. The process of `start` is the gateway's parent and has to outlive it: it loads nothing else. */
import { Command } from 'commander'
import { version } from '../runtime/package.ts'

// A reader that closes the pipe early (head) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

/** The groups of commands. Only the one that is typed is loaded: a small command takes no longer than it has to. */
const groups = {
  start: async () => (await import('./start.ts')).registerStart,
  settings: async () => (await import('./settings.ts')).registerSettings,
  secrets: async () => (await import('./secrets.ts')).registerSecrets,
  tools: async () => (await import('./tools.ts')).registerTools,
  keys: async () => (await import('./keys.ts')).registerKeys,
  operators: async () => (await import('./operators.ts')).registerOperators,
  prices: async () => (await import('./prices.ts')).registerPrices,
  budgets: async () => (await import('./budgets.ts')).registerBudgets,
  audit: async () => (await import('./audit.ts')).registerAudit,
  nodes: async () => (await import('./nodes.ts')).registerNodes,
  drain: async () => (await import('./nodes.ts')).registerDrain,
  doctor: async () => (await import('./doctor/doctor.ts')).registerDoctor,
}

const program = new Command('service').description('A self-hosted AI-agent platform').version(version)
const isGroup = (word: string | undefined): word is keyof typeof groups => Object.hasOwn(groups, word ?? '')
const word = process.argv[2]
for (const each of isGroup(word) ? [word] : (Object.keys(groups) as (keyof typeof groups)[])) {
  const register = await groups[each]()
  register(program)
}
await program.parseAsync()
