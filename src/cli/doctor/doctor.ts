/** `service doctor`: checks what the service stands on, and says what to do about each finding. */
import type { Command } from 'commander'
import { openSettings, type Settings } from '../../config/settings.ts'
import { readPlainSettings } from '../../store/stored-settings.ts'
import { withStore } from '../connect.ts'
import { print } from '../output.ts'
import { checkDatabase } from './database.ts'
import { checkFiles } from './files.ts'
import { type Finding, failed, reason } from './finding.ts'
import { checkModel } from './model.ts'
import { checkNode } from './node.ts'
import { checkPort } from './port.ts'
import { checkSecurity } from './security.ts'

const marks = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' } as const

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check Node.js, files, database, port, model endpoint and settings; exit code 1 when something failed')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => {
      const findings = await examine()
      if (options.json) print(JSON.stringify(findings, null, 2))
      else for (const finding of findings) printFinding(finding)
      if (findings.some((finding) => finding.state === 'failed')) process.exitCode = 1
    })
}

function printFinding(finding: Finding): void {
  print(`${marks[finding.state]}  ${finding.check}: ${finding.found}`)
  if (finding.advice) print(`         ${finding.advice}`)
}

async function examine(): Promise<Finding[]> {
  const findings = [await checkNode(), checkFiles(process.env)]
  const stored = await examineStore()
  findings.push(...stored.findings)
  // Without the store the environment still says where to look.
  const settings = stored.settings ?? fromEnvironment(findings)
  if (settings) findings.push(await checkPort(settings), await checkModel(settings), ...checkSecurity(settings))
  return findings
}

async function examineStore(): Promise<{ findings: Finding[]; settings?: Settings }> {
  try {
    return await withStore(async (store) => ({
      findings: [await checkDatabase(store)],
      settings: openSettings({
        environment: store.environment,
        stored: await readPlainSettings(store.db, store.masterKey),
      }),
    }))
  } catch (error) {
    const advice = process.env['SERVICE_DATABASE_URL']
      ? 'Is the server of SERVICE_DATABASE_URL running, and may this login in?'
      : 'The message says what hinders it; the log of the service says more.'
    return { findings: [failed('database', reason(error), advice)] }
  }
}

function fromEnvironment(findings: Finding[]): Settings | undefined {
  try {
    return openSettings({ environment: process.env, stored: new Map() })
  } catch (error) {
    findings.push(failed('settings', reason(error), 'Correct the environment.'))
    return undefined
  }
}
