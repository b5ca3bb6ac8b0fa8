/** `service doctor`: checks what the service depends on, and says what to do about each finding. */
import type { Command } from 'commander'
import { print, run } from '../output.ts'
import { checkCode } from './code.ts'
import { checkDatabase } from './database.ts'
import { checkFiles } from './files.ts'
import type { Finding } from './finding.ts'
import { checkModel } from './model.ts'
import { checkNode } from './node.ts'
import { checkOutgoing } from './outgoing.ts'
import { checkPort } from './port.ts'
import { checkRunning } from './running.ts'
import { checkSecurity } from './security.ts'
import { checkSettings } from './settings.ts'
import { checkToolGrants } from './tool-grants.ts'
import { checkTools } from './tools.ts'

const marks = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' } as const

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check Node.js, files, database, settings, port, model and tools; exit code 1 if a check failed')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => run(() => doctor(options.json ?? false)))
}

async function doctor(isJson: boolean): Promise<void> {
  const findings = await examine()
  if (isJson) print(JSON.stringify(findings, null, 2))
  else for (const finding of findings) printFinding(finding)
  if (findings.some((finding) => finding.state === 'failed')) process.exitCode = 1
}

function printFinding(finding: Finding): void {
  print(`${marks[finding.state]}  ${finding.check}: ${finding.found}`)
  if (finding.advice) print(`         ${finding.advice}`)
}

async function examine(): Promise<Finding[]> {
  // The files first: starting the built-in database creates some.
  const findings = [await checkNode(), checkFiles(process.env)]
  const database = await checkDatabase(process.env)
  const { environment, finding: service, isFound } = checkRunning(database.instance, process.env)
  const { settings, findings: settingFindings } = checkSettings(environment, database.stored)
  findings.push(database.finding, service, ...settingFindings)
  findings.push(await checkPort(settings, isFound), ...(await checkModel(settings, database.modelEndpoints)))
  findings.push(
    ...(await checkTools(settings)),
    ...checkToolGrants(settings, database.tools),
    ...(await checkCode(settings, environment['PATH'])),
    ...checkSecurity(settings),
  )
  findings.push(...(await checkOutgoing(settings, database.channels)))
  return findings
}
