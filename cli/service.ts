/** The `service` command. `start` loads none of the others: its process is the gateway's parent and has to outlive it. */
import { Command } from 'commander'
import { version } from '../runtime/package.ts'
import { registerStart } from './start.ts'

// A reader that closes the pipe early (head) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

const program = new Command('service').description('A self-hosted AI-agent platform').version(version)
registerStart(program)
if (process.argv[2] !== 'start') {
  const [{ registerSettings }, { registerKeys }, { registerOperators }, { registerAudit }, { registerDoctor }] =
    await Promise.all([
      import('./settings.ts'),
      import('./keys.ts'),
      import('./operators.ts'),
      import('./audit.ts'),
      import('./doctor/doctor.ts'),
    ])
  registerSettings(program)
  registerKeys(program)
  registerOperators(program)
  registerAudit(program)
  registerDoctor(program)
}
await program.parseAsync()
