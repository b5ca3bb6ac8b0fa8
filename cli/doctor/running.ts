/** The service that runs on this machine, and the environment that it was started with: that is what the doctor judges. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../config/settings.ts'
import { dataDirOf } from '../../gateway/open-store.ts'
import { type Finding, ok, warning } from './finding.ts'

export interface RunningFound {
  finding: Finding
  /** Of the running service; where none runs, or it cannot be read, the command's own. */
  environment: Environment
  isFound: boolean
}

export interface Instance {
  pid: number
  startedAt: Date
}

/** @param instance the newest start that the database knows of; it may have died, or run on another machine */
export function checkRunning(instance: Instance | null, own: Environment, processes = '/proc'): RunningFound {
  const judged = 'the environment of this command is judged'
  const none = (why: string): RunningFound => ({
    finding: ok('service', `${why} ${databaseOf(own)}: ${judged}`),
    environment: own,
    isFound: false,
  })
  if (!instance) return none('none runs with')
  const { pid, startedAt } = instance
  const gone = `none runs on this machine (the last start, process ${pid}, did not stop as it should) with`
  const since = `runs since ${startedAt.toISOString()}, process ${pid}`
  try {
    if (!isGateway(readFileSync(join(processes, String(pid), 'cmdline'), 'utf8'))) return none(gone)
    const environment = environmentOf(readFileSync(join(processes, String(pid), 'environ'), 'utf8'))
    return { finding: ok('service', `${since}: its settings are judged`), environment, isFound: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform === 'linux') return none(gone)
    const found = `${since}; its environment cannot be read, and that of this command is judged`
    return {
      finding: warning('service', found, 'Run this as the user of the service, with the same environment.'),
      environment: own,
      isFound: true,
    }
  }
}

/** Where this command looked: a service with another database is not seen from here. */
function databaseOf(environment: Environment): string {
  if ((environment['SERVICE_DATABASE_URL'] ?? '') !== '') return 'the database of SERVICE_DATABASE_URL'
  return `the built-in database in ${dataDirOf(environment).dataDir}`
}

/** The number may be that of another program by now. */
function isGateway(commandLine: string): boolean {
  const words = commandLine.split('\0')
  if (words.some((word) => /[\\/]gateway[\\/]main\.[jt]s$/.test(word))) return true
  return words.includes('start') && words.some((word) => /[\\/](service(\.js)?|agent-platform)$/.test(word))
}

function environmentOf(text: string): Environment {
  const entries = text.split('\0').filter((entry) => entry.includes('='))
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
}
