/** The `service` command. `start` loads nothing of the others: its process is the gateway's parent and has to outlive it. */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { registerStart } from './start.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

const program = new Command('service').description('A self-hosted AI-agent platform').version(version)
registerStart(program)
await program.parseAsync()
